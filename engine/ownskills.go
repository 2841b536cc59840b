package engine

import (
	"errors"
	"forge/engine/skill"
	"io/fs"
	"strings"
)

// ownSkills is where a folder keeps skills of its own.
const ownSkills = ".forge/skills"

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
