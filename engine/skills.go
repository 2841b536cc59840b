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

// Skills are those that runs in a folder know.
type Skills struct {
	All      []prompt.Skill // by name
	Problems []prompt.SkillProblem
	// Untrusted says that the folder has skills of its own, or may have, that are not read: nobody has said that it is trusted.
	Untrusted bool
}

// Skills lists the skills of a folder and of the user. A folder that is not trusted has none of its own.
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
		defer func() { _ = folder.Close() }() // it was only read
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
