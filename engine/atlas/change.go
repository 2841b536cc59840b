package atlas

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel/index"
)

// Cover replaces a file, existing or not, by the user's unsaved text, until Uncover. path is relative to the root, slash-separated.
func (a *Atlas) Cover(path, text string) {
	a.index.Cover(path, text)
	a.view.raise()
}

// Uncover reverses Cover.
func (a *Atlas) Uncover(path string) {
	a.index.Uncover(path)
	a.view.raise()
}

// Changed reports that files or whole folders on disk were created, changed or removed; without paths, that any file
// may have changed. Paths are relative to the root, slash-separated.
//
// A known file is read at once. For other files a new list of all files decides whether they belong to the folder.
// One list serves all of them, because a build may write thousands of ignored files.
func (a *Atlas) Changed(paths ...string) {
	known, list := a.sort(paths)
	if len(known) > 0 {
		a.index.Changed(known...)
		a.view.raise()
	}
	if list {
		a.change(func(s *state) { s.asked++ })
	}
	a.disk.raise()
}

// sort returns the paths of known files, and reports whether the others require a new list of files.
func (a *Atlas) sort(paths []string) (known []string, list bool) {
	documents := a.index.View().Documents()
	for _, name := range paths {
		_, found := slices.BinarySearchFunc(documents, name, func(d index.Document, name string) int { return strings.Compare(d.Path, name) })
		switch {
		case name == ".git" || strings.HasPrefix(name, ".git/"): // HEAD is checked anyway
		case found && path.Base(name) != ".gitignore":
			known = append(known, name)
		default:
			list = true
		}
	}
	return known, list || len(paths) == 0
}
