package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// fits reports whether the place can be shown with the entries of a policy.
func (l Place) fits(entries []entry) bool {
	return l.Folder != "" && filepath.IsAbs(l.At) && !slices.ContainsFunc(entries, func(e entry) bool {
		return isBeneath(e.path, l.At) || e.path == l.Folder && e.kind != writable || (e.kind == readable || e.kind == installed || e.kind == writable || e.kind == linked) && isBeneath(l.At, e.path)
	})
}

// move replaces the entry of the folder, and the folder's path in the order.
func (l Place) move(o *order) {
	o.entries = slices.Clone(o.entries)
	for i, e := range o.entries {
		if e.path == l.Folder {
			o.entries[i] = entry{private, l.At, l.Folder}
		}
	}
	slices.SortStableFunc(o.entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	o.path, o.dir = l.inside(o.path), l.inside(o.dir)
	o.args, o.env = slices.Clone(o.args), slices.Clone(o.env)
	for _, list := range [][]string{o.args, o.env} {
		for i := range list {
			list[i] = l.inside(list[i])
		}
	}
}

func (l Place) inside(text string) string { return string(renamed([]byte(text), l.Folder, l.At)) }
