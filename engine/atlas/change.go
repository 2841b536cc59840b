package atlas

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel/index"
)

// Cover lets a text stand for a file, or for one that is not there, until Uncover: what the user has not saved yet.
// path is relative to the root, slash-separated.
func (a *Atlas) Cover(path, text string) {
	a.index.Cover(path, text)
	a.view.raise()
}

// Uncover ends what Cover began.
func (a *Atlas) Uncover(path string) {
	a.index.Uncover(path)
	a.view.raise()
}

// Changed says that files on disk, or all that is in folders, were made, changed or removed; without paths, that this
// may be so anywhere. Paths are relative to the root, slash-separated.
//
// A file that is known is read at once. Whether another one belongs to the folder takes a list of all files, which is
// made soon, for all of them together: a build may write thousands that are ignored.
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

// sort picks the paths of files that are known, and reports whether the files must be listed for the others.
func (a *Atlas) sort(paths []string) (known []string, list bool) {
	documents := a.index.View().Documents()
	for _, name := range paths {
		_, found := slices.BinarySearchFunc(documents, name, func(d index.Document, name string) int { return strings.Compare(d.Path, name) })
		switch {
		case name == ".git" || strings.HasPrefix(name, ".git/"): // HEAD is looked at anyway
		case found && path.Base(name) != ".gitignore":
			known = append(known, name)
		default:
			list = true
		}
	}
	return known, list || len(paths) == 0
}
