package gate

import "path/filepath"

// InDir is a folder of a tree as a tree of its own.
func InDir(t Tree, dir string) Tree {
	if dir == "" {
		return t
	}
	return folder{dir: filepath.Join(t.Dir(), filepath.FromSlash(dir)), top: Top(t), origin: Origin(t)}
}

// Top is the root of the tree that t is, or is a folder of, as an absolute path: tools are looked up in the folders above a
// project as well, and never above it.
func Top(t Tree) string {
	if f, is := t.(folder); is {
		return f.top
	}
	return t.Dir()
}

// Copy is a tree that is a copy of a folder of the user's.
type Copy interface {
	Tree
	// Origin is that folder, as an absolute path without links.
	Origin() string
}

// Origin is the user's folder that the root of a tree is a copy of; empty where that is not known. What is installed may lead back to it.
func Origin(t Tree) string {
	if f, is := t.(folder); is {
		return f.origin
	}
	if c, is := t.(Copy); is {
		return c.Origin()
	}
	return ""
}

type folder struct{ dir, top, origin string }

func (f folder) Dir() string { return f.dir }
