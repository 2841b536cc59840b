package briefing

import (
	"errors"
	"io/fs"
	"strings"

	"forge/engine/skill"
)

// OwnSkills is where a folder keeps skills of its own.
const OwnSkills = ".forge/skills"

// skillsIn are the skills that a tree has of its own.
func skillsIn(paths []string, read func(path string) ([]byte, error)) (skills []skill.Skill, problems []skill.Problem) {
	for _, file := range paths {
		below, is := strings.CutPrefix(file, OwnSkills+"/")
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
