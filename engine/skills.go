package engine

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"forge/engine/activity"
	"forge/engine/prompt"
)

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
