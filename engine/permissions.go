package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"forge/engine/permission"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/tool"
)

// consents are what users and Forge have decided about tools of models, by folder.
type consents struct{ state *state.State }

// Permissions returns the user's answers about tools of models in a folder that hold longer than one call.
func (c consents) Permissions(root string) ([]permission.Grant, error) {
	p, err := c.in(root)
	if err != nil {
		return nil, err
	}
	return p.Grants()
}

// ResetPermissions forgets these answers, or those about one tool, and returns how many they were.
func (c consents) ResetPermissions(ctx context.Context, root, tool string) (int, error) {
	p, err := c.in(root)
	if err != nil {
		return 0, err
	}
	return p.Reset(ctx, tool)
}

// Audit returns the decisions about tools of models in a folder. The error of a log that was changed is a *permission.BrokenError, and the
// rows before it are returned.
func (c consents) Audit(root string) ([]permission.Row, error) {
	p, err := c.in(root)
	if err != nil {
		return nil, err
	}
	return p.Audit()
}

func (c consents) in(root string) (*state.Permissions, error) {
	p, err := c.state.Project(root)
	if err != nil {
		return nil, err
	}
	return p.Permissions(), nil
}

// PermissionRules returns the rules about tools of models in the user's own settings.
func (e *Engine) PermissionRules(ctx context.Context, root string) ([]permission.Rule, error) {
	s := e.settings(ctx, root)
	return s.Grants.Permissions, s.Err
}

// RefusesCommand returns why no run in a folder starts a command of a plan, as a clause; empty if one may, perhaps after a question.
func (e *Engine) RefusesCommand(ctx context.Context, root string, argv []string) string {
	set := e.settings(ctx, root)
	if set.Err != nil {
		return set.Err.Error()
	}
	t, _ := set.Grants.Find(tool.Command)
	args, _ := json.Marshal(tool.Args{Argv: argv}) // strings
	policy := permission.Policy{Settings: []permission.Settings{set.Grants.Settings(t, args)}, Rules: set.Grants.Permissions}
	switch d := policy.Decide(t.Action(permission.Build, root, args), permission.Consent{}); {
	case d.Verdict != permission.Deny:
	case set.Grants.Begins(argv) == 0:
		return tool.NotGranted
	default:
		return d.Reason
	}
	finder, is := e.runner.(sandbox.Finder)
	if is && errors.Is(finder.Find(sandbox.Command{Argv: argv, Dir: root}), fs.ErrNotExist) {
		return "there is no program " + argv[0] + " here"
	}
	return ""
}
