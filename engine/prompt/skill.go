package prompt

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// SkillFile is the name of a skill file.
const SkillFile = "SKILL.md"

// Skill is a skill.
type Skill struct {
	Name        string
	Description string // one line
	Category    string // "code", "planning/api"; may be empty
	Source      string // its place, for users: "~/.forge/skills/tdd/SKILL.md"
	Body        string // Markdown
}

// Line returns the skill in one line: "[skill:tdd] Write the test first".
func (s Skill) Line() string {
	if s.Description == "" {
		return "[skill:" + s.Name + "]"
	}
	return "[skill:" + s.Name + "] " + s.Description
}

// FirstSkills returns the skills of several lists by name, the first one of each name. Names are case-insensitive.
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

// MatchSkills returns the skills for kinds of work, in the order of the kinds: for each the one with exactly that name, or
// those whose category begins with it, without duplicates.
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

// IsSkill reports whether a path below a folder of skills is a skill file.
func IsSkill(file string) bool { return path.Base(file) == SkillFile }
