package prompt

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// FileName is what the file of a skill is called.
const SkillFile = "SKILL.md"

// Skill is one of them.
type Skill struct {
	Name        string
	Description string // one line
	Category    string // "code", "planning/api"; may be empty
	Source      string // where it is, for people: "~/.forge/skills/tdd/SKILL.md"
	Body        string // Markdown
}

// Line is the skill where it may matter: "[skill:tdd] Write the test first".
func (s Skill) Line() string {
	if s.Description == "" {
		return "[skill:" + s.Name + "]"
	}
	return "[skill:" + s.Name + "] " + s.Description
}

// FirstSkills gives the skills of several lists by name, of each name the first there is. Names are the same in upper and
// lower case.
func FirstSkills(lists ...[]Skill) []Skill {
	var all []Skill
	seen := map[string]bool{}
	for _, list := range lists {
		for _, s := range list {
			if name := strings.ToLower(s.Name); !seen[name] {
				seen[name] = true
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// MatchSkills gives the skills for kinds of work, in the order of the kinds: for each the one of exactly that name, or else
// those whose category begins with it. No skill is given twice.
func MatchSkills(all []Skill, kinds ...string) (matched []Skill) {
	for _, kind := range kinds {
		for _, s := range match(all, strings.ToLower(strings.TrimSpace(kind))) {
			if !slices.ContainsFunc(matched, func(m Skill) bool { return m.Name == s.Name }) {
				matched = append(matched, s)
			}
		}
	}
	return matched
}

func match(all []Skill, kind string) (found []Skill) {
	if kind == "" {
		return nil
	}
	for _, s := range all {
		if strings.ToLower(s.Name) == kind {
			return []Skill{s}
		}
		if strings.HasPrefix(strings.ToLower(s.Category), kind) {
			found = append(found, s)
		}
	}
	return found
}

// IsSkill reports whether a path below a folder of skills is the file of one.
func IsSkill(file string) bool { return path.Base(file) == SkillFile }
