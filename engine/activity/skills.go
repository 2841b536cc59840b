package activity

import (
	"errors"
	"io/fs"
	"strings"

	"forge/engine/prompt"
)

// OwnSkills is the directory of a folder's own skills.
const OwnSkills = ".forge/skills"

// skillsIn returns the skills in a tree.
func skillsIn(paths []string, read func(path string) ([]byte, error)) (skills []prompt.Skill, problems []prompt.SkillProblem) {
	for _, file := range paths {
		below, is := strings.CutPrefix(file, OwnSkills+"/")
		if !is || !prompt.IsSkill(file) {
			continue
		}
		content, err := read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var s prompt.Skill
		if err == nil {
			s, err = prompt.ParseSkill(below, file, content)
		}
		if err != nil {
			problems = append(problems, prompt.SkillProblem{Source: file, Reason: err.Error()})
			continue
		}
		skills = append(skills, s)
	}
	return skills, problems
}
