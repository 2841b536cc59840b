package activity

import (
	"bytes"
	"path"
	"slices"
	"unicode/utf8"

	"forge/engine/step"
)

// A project's files for its contributors, in the order in which they are shown, unless the user names others.
var guideFiles = []string{"AGENTS.md", "CLAUDE.md", ".forge/instructions.md"}

// Limits of the texts that a model sees, in bytes.
const (
	maxGuide  = 16 << 10
	maxGuides = 32 << 10
)

const guideCut = "\n[… the rest is left out]"

// guidesIn returns the project's instructions in a tree: those at its root, and those in the nearest folder above focus
// that has some.
func guidesIn(paths, names []string, focus string, read func(path string) ([]byte, error)) (guides []step.Guide) {
	room := maxGuides
	for _, file := range guidePaths(paths, names, focus) {
		content, err := read(file)
		if err != nil || !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 || len(bytes.TrimSpace(content)) == 0 {
			continue // deleted since, or not readable for a model
		}
		text := beginning(string(content), min(maxGuide, room))
		same := slices.ContainsFunc(guides, func(g step.Guide) bool { return g.Text == text }) // CLAUDE.md is often AGENTS.md
		if text == "" || same {
			continue
		}
		room -= len(text)
		guides = append(guides, step.Guide{Name: file, Source: file, Text: text})
	}
	return guides
}

// guidePaths returns the paths of instruction files, the root's first.
func guidePaths(paths, names []string, focus string) (found []string) {
	has := func(file string) bool {
		_, is := slices.BinarySearch(paths, file)
		return is
	}
	if len(names) == 0 {
		names = guideFiles
	}
	in := func(dir string) (here []string) {
		for _, name := range names {
			if file := path.Join(dir, name); has(file) {
				here = append(here, file)
			}
		}
		return here
	}
	found = in("")
	for dir := path.Dir(path.Join("/", focus)); focus != "" && dir != "/"; dir = path.Dir(dir) {
		if near := in(dir[1:]); len(near) > 0 {
			return append(found, near...)
		}
	}
	return found
}

// beginning returns the first lines of a text that fit, and a mark if lines are missing.
func beginning(text string, room int) string {
	if len(text) <= room {
		return text
	}
	if room -= len(guideCut); room <= 0 {
		return ""
	}
	end := bytes.LastIndexByte([]byte(text[:room]), '\n')
	if end < 0 {
		return ""
	}
	return text[:end] + guideCut
}
