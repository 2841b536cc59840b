package golang

import (
	"path/filepath"
	"strings"

	"forge/engine/gate"
)

// root turns the paths tools print into paths of the tree.
type root struct {
	dirs []string // the tree's root as it was named, and as the system names it
}

func rootOf(tree gate.Tree) root {
	r := root{dirs: []string{filepath.Clean(tree.Dir())}}
	if real, err := filepath.EvalSymlinks(tree.Dir()); err == nil && real != r.dirs[0] {
		r.dirs = append(r.dirs, real)
	}
	return r
}

// rel gives a path relative to the root, with slashes. ok is false for a path outside the tree, such as
// one of the standard library or the module cache.
func (r root) rel(path string) (rel string, ok bool) {
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

// inert takes the tree's own, temporary place out of a text that is shown to people and models, so that
// the same failure reads the same in every scratch tree.
func (r root) inert(text string) string {
	for _, dir := range r.dirs {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	}
	return text
}
