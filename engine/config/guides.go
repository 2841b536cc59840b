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
		path, is := m.absolute(dir)
		if !is {
			m.say("skills in %s: %q is not an absolute path: use an absolute path, or one that begins with ~/", m.userFile, dir)
			continue
		}
		m.settings.Skills = append(m.settings.Skills, path)
	}
	for _, name := range user.Instructions {
		if !filepath.IsLocal(name) || slices.Contains(strings.Split(filepath.ToSlash(name), "/"), ".git") {
			m.say("instructions in %s: %q is not a file of a project: use names of files in it, such as AGENTS.md", m.userFile, name)
			continue
		}
		m.settings.Instructions = append(m.settings.Instructions, filepath.ToSlash(name))
	}
}

// absolute returns the path of a folder that the user names, absolute or below ~/; is reports whether it is one.
func (m *merging) absolute(name string) (path string, is bool) {
	if rest, below := strings.CutPrefix(name, "~/"); below {
		name = filepath.Join(m.env.home(), rest)
	}
	return filepath.Clean(name), filepath.IsAbs(name)
}

// home returns the user's home, or "" if it is unknown.
func (env Environ) home() string {
	if home := env("HOME"); home != "" {
		return home
	}
	return env("USERPROFILE") // Windows
}
