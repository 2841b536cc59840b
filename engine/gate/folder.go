package gate

import "path/filepath"

// InDir is a folder of a tree as a tree of its own.
func InDir(t Tree, dir string) Tree {
	if dir == "" {
		return t
	}
	return folder{dir: filepath.Join(t.Dir(), filepath.FromSlash(dir)), top: Top(t)}
}

// Top is the root of the tree that t is, or is a folder of, as an absolute path: tools are looked up in the folders above a
// project as well, and never above it.
func Top(t Tree) string {
	if f, is := t.(folder); is {
		return f.top
	}
	return t.Dir()
}

type folder struct{ dir, top string }

func (f folder) Dir() string { return f.dir }
