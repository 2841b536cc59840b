package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// guides applies the user's folders of skills and names of instruction files. A folder cannot set them: it could read any file
// of the user.
func (m *merging) guides(user file) {
	for _, dir := range user.Skills {
		if rest, below := strings.CutPrefix(dir, "~/"); below {
			dir = filepath.Join(m.env.home(), rest)
		}
		if !filepath.IsAbs(dir) {
			m.say("skills in %s: %q is not an absolute path: use an absolute path, or one that begins with ~/", m.userFile, dir)
			continue
		}
		m.settings.Skills = append(m.settings.Skills, filepath.Clean(dir))
	}
	for _, name := range user.Instructions {
		if !filepath.IsLocal(name) || slices.Contains(strings.Split(filepath.ToSlash(name), "/"), ".git") {
			m.say("instructions in %s: %q is not a file of a project: use names of files in it, such as AGENTS.md", m.userFile, name)
			continue
		}
		m.settings.Instructions = append(m.settings.Instructions, filepath.ToSlash(name))
	}
}

// home returns the user's home, or "" if it is unknown.
func (env Environ) home() string {
	if home := env("HOME"); home != "" {
		return home
	}
	return env("USERPROFILE") // Windows
}
