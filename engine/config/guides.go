package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// guides takes where the user keeps skills, and the names of files with instructions. A folder cannot say either: it could have
// anything of the user's read.
func (m *merging) guides(user file) {
	for _, dir := range user.Skills {
		if rest, below := strings.CutPrefix(dir, "~/"); below {
			dir = filepath.Join(m.home(), rest)
		}
		if !filepath.IsAbs(dir) {
			m.say("skills in %s: %q is no folder that can be found from everywhere: give an absolute path, or one that begins with ~/", m.userFile, dir)
			continue
		}
		m.settings.Skills = append(m.settings.Skills, filepath.Clean(dir))
	}
	for _, name := range user.Instructions {
		if !filepath.IsLocal(name) || slices.Contains(strings.Split(filepath.ToSlash(name), "/"), ".git") {
			m.say("instructions in %s: %q is no file of a project: give names as they stand in it, such as AGENTS.md", m.userFile, name)
			continue
		}
		m.settings.Instructions = append(m.settings.Instructions, filepath.ToSlash(name))
	}
}

// home is the user's home; empty where nobody knows it.
func (m *merging) home() string {
	if home := m.env("HOME"); home != "" {
		return home
	}
	return m.env("USERPROFILE") // Windows
}
