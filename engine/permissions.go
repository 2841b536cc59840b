package engine

import (
	"context"

	"forge/engine/permission"
	"forge/engine/state"
)

// Permissions returns the user's answers about tools of models in a folder that hold longer than one call.
func (e *Engine) Permissions(root string) ([]permission.Grant, error) {
	p, err := e.permissions(root)
	if err != nil {
		return nil, err
	}
	return p.Grants()
}

// PermissionRules returns the rules about tools of models in the user's own settings.
func (e *Engine) PermissionRules(ctx context.Context, root string) ([]permission.Rule, error) {
	s := e.settings(ctx, root)
	return s.Grants.Permissions, s.Err
}

// ResetPermissions forgets these answers, or those about one tool, and returns how many they were.
func (e *Engine) ResetPermissions(ctx context.Context, root, tool string) (int, error) {
	p, err := e.permissions(root)
	if err != nil {
		return 0, err
	}
	return p.Reset(ctx, tool)
}

// Audit returns the decisions about tools of models in a folder. The error of a log that was changed is a *permission.BrokenError, and the
// rows before it are returned.
func (e *Engine) Audit(root string) ([]permission.Row, error) {
	p, err := e.permissions(root)
	if err != nil {
		return nil, err
	}
	return p.Audit()
}

func (e *Engine) permissions(root string) (*state.Permissions, error) {
	p, err := e.state.Project(root)
	if err != nil {
		return nil, err
	}
	return p.Permissions(), nil
}
