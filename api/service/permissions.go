package service

import (
	"context"
	"errors"

	"forge/api"
	"forge/engine/permission"
)

// PermissionStore is the user's answers about tools of models in a folder, and the audit log of all decisions about them.
type PermissionStore interface {
	// Audit returns the rows of the log. The error of a log that was changed is a *permission.BrokenError, with the rows before it.
	Audit(root string) ([]permission.Row, error)
	Permissions(root string) ([]permission.Grant, error)
	// PermissionRules returns the rules of the user's settings.
	PermissionRules(ctx context.Context, root string) ([]permission.Rule, error)
	// ResetPermissions forgets the answers about a tool, or all if it is empty, and returns how many they were.
	ResetPermissions(ctx context.Context, root, tool string) (int, error)
}

// Audit answers forge.audit. A log that was changed is a result, not an error.
func Audit(_ context.Context, e PermissionStore, in Folder, a *api.AuditArgs) (api.AuditResult, error) {
	rows, err := e.Audit(in.Path)
	result := api.AuditResult{Rows: []api.AuditRow{}}
	for _, r := range rows {
		if a.Run == "" || r.Run == a.Run {
			result.Rows = append(result.Rows, auditRowOf(r))
		}
	}
	if broken, is := errors.AsType[*permission.BrokenError](err); is {
		result.Broken, err = broken.Error(), nil
	}
	return result, err
}

// ListPermissions answers forge.permissions.list.
func ListPermissions(ctx context.Context, e PermissionStore, in Folder, _ *api.FolderArgs) (api.PermissionsResult, error) {
	rules, err := e.PermissionRules(ctx, in.Path)
	if err != nil {
		return api.PermissionsResult{}, err
	}
	all, err := e.Permissions(in.Path)
	return permissionsOf(all, rules), err
}

// ResetPermissions answers forge.permissions.reset.
func ResetPermissions(ctx context.Context, e PermissionStore, in Folder, a *api.PermissionsResetArgs) (api.PermissionsReset, error) {
	n, err := e.ResetPermissions(ctx, in.Path, a.Tool)
	return api.PermissionsReset{Forgotten: n}, err
}
