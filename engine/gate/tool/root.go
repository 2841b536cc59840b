package tool

import (
	"path/filepath"
	"strings"

	"forge/engine/gate"
)

// Root converts the paths that tools print to paths of the tree.
type Root struct {
	dirs []string // the tree's root as it was given, and as the system names it
}

// RootAt returns a root with several names.
func RootAt(dirs ...string) Root { return Root{dirs: dirs} }

// RootOf returns the root of a tree.
func RootOf(tree gate.Tree) Root {
	r := Root{dirs: []string{filepath.Clean(tree.Dir())}}
	if real, err := filepath.EvalSymlinks(tree.Dir()); err == nil && real != r.dirs[0] {
		r.dirs = append(r.dirs, real)
	}
	return r
}

// Rel returns a path relative to the root, with slashes. ok is false for a path outside of the tree, such as one of a standard
// library or a package cache.
func (r Root) Rel(path string) (rel string, ok bool) {
	if !filepath.IsAbs(path) {
		rel = filepath.Clean(filepath.FromSlash(path))
		return filepath.ToSlash(rel), filepath.IsLocal(rel)
	}
	for _, dir := range r.dirs {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Inert removes the temporary path of the tree from a text for users and models, so that the same failure reads the same in every
// scratch tree.
func (r Root) Inert(text string) string {
	for _, dir := range r.dirs {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	}
	return text
}

// Bare removes the path of the tree from a text, also where no path beneath it follows.
func (r Root) Bare(text string) string {
	for _, dir := range r.dirs {
		text = strings.ReplaceAll(text, dir, "")
	}
	return text
}
