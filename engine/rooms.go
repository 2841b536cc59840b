package engine

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"forge/engine/activity"
	"forge/engine/permission"
	"forge/engine/prompt"
	"forge/engine/state"
	"forge/memory"
)

// Trust records that the user trusts a folder: gates may execute its code.
func (e *Engine) Trust(root string) error { return e.state.Trust(root, state.Execute) }

// TrustToRead records that models may be shown the files of a folder, and that nothing of it is executed. It takes nothing from a folder that is trusted
// further already.
func (e *Engine) TrustToRead(root string) error {
	if level, err := e.state.TrustLevel(root); err != nil || level >= state.Read {
		return err
	}
	return e.state.Trust(root, state.Read)
}

// folders are what Forge keeps of folders. state.State has them.
type folders interface {
	Untrust(root string) (known bool, err error)
	Trusted(root string) (bool, error)
	TrustedFolders() ([]state.TrustedFolder, error)
	Memory(ctx context.Context, root string) (*memory.Project, error)
	Usage(ctx context.Context, root string) (state.Usage, error)
	Usages(ctx context.Context) ([]state.Usage, error)
}

// Permissions returns the user's answers about tools of models in a folder that hold longer than one call.
func (e *Engine) Permissions(root string) ([]permission.Grant, error) {
	p, err := e.permissions(root)
	if err != nil {
		return nil, err
	}
	return p.Grants()
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

// Skills are the skills known to runs in a folder.
type Skills struct {
	All      []prompt.Skill // by name
	Problems []prompt.SkillProblem
	// Untrusted means that the folder may have skills that were not read, because it is not trusted.
	Untrusted bool
}

// Skills lists the skills of a folder and of the user. It reads none of an untrusted folder.
func (e *Engine) Skills(ctx context.Context, root string) (found Skills, err error) {
	trusted, err := e.Trusted(root)
	if err != nil {
		return found, err
	}
	roots := slices.Concat(e.host.Skills, e.host.Settings(ctx, root).Skills)
	found.Untrusted = !trusted
	if trusted {
		folder, err := os.OpenRoot(root)
		if err != nil {
			return found, fmt.Errorf("read the skills of %s: %w", root, err)
		}
		defer func() { _ = folder.Close() }() // only read
		own, err := fs.Sub(folder.FS(), activity.OwnSkills)
		if err != nil {
			return found, fmt.Errorf("read the skills of %s: %w", root, err)
		}
		roots = append([]prompt.SkillRoot{{FS: own, Name: activity.OwnSkills}}, roots...)
	}
	found.All, found.Problems = prompt.FindSkills(roots...)
	for i := range found.All {
		found.All[i].Description, found.All[i].Body = e.Redact(found.All[i].Description), e.Redact(found.All[i].Body)
	}
	return found, nil
}

// Redact replaces the secrets in a text for users.
func (e *Engine) Redact(text string) string { return e.secrets.Plain(text) }
