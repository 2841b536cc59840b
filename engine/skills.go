package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"forge/engine/skill"
)

// ownSkills is where a folder keeps skills of its own.
const ownSkills = ".forge/skills"

// Skills are those that runs in a folder know.
type Skills struct {
	All      []skill.Skill // by name
	Problems []skill.Problem
	// Untrusted says that the folder has skills of its own, or may have, that are not read: nobody has said that it is trusted.
	Untrusted bool
}

// skillRoots are the folders of the person's skills.
func (e *Engine) skillRoots(ctx context.Context, root string) []skill.Root {
	return slices.Concat(e.options.Skills, e.settings(ctx, root).Skills)
}

// Skills lists the skills of a folder and of the person. A folder that is not trusted has none of its own.
func (e *Engine) Skills(ctx context.Context, root string) (found Skills, err error) {
	trusted, err := e.Trusted(root)
	if err != nil {
		return found, err
	}
	roots := e.skillRoots(ctx, root)
	found.Untrusted = !trusted
	if trusted {
		folder, err := os.OpenRoot(root)
		if err != nil {
			return found, fmt.Errorf("read the skills of %s: %w", root, err)
		}
		defer func() { _ = folder.Close() }() // it was only read
		own, err := fs.Sub(folder.FS(), ownSkills)
		if err != nil {
			return found, fmt.Errorf("read the skills of %s: %w", root, err)
		}
		roots = append([]skill.Root{{FS: own, Name: ownSkills}}, roots...)
	}
	found.All, found.Problems = skill.Find(roots...)
	for i := range found.All {
		found.All[i].Description, found.All[i].Body = e.Redact(found.All[i].Description), e.Redact(found.All[i].Body)
	}
	return found, nil
}

// skillsIn are the skills that a tree has of its own.
func skillsIn(paths []string, read func(path string) ([]byte, error)) (skills []skill.Skill, problems []skill.Problem) {
	for _, file := range paths {
		below, is := strings.CutPrefix(file, ownSkills+"/")
		if !is || !skill.Is(file) {
			continue
		}
		content, err := read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var s skill.Skill
		if err == nil {
			s, err = skill.Parse(below, file, content)
		}
		if err != nil {
			problems = append(problems, skill.Problem{Source: file, Reason: err.Error()})
			continue
		}
		skills = append(skills, s)
	}
	return skills, problems
}
