package gate

import "path/filepath"

// InDir returns a folder of a tree as a tree.
func InDir(t Tree, dir string) Tree {
	if dir == "" {
		return t
	}
	return folder{dir: filepath.Join(t.Dir(), filepath.FromSlash(dir)), top: Top(t), origin: Origin(t)}
}

// Top returns the absolute path of the root of the tree that t is, or is a folder of: tools are also looked up in the
// folders above a project, but never above the root.
func Top(t Tree) string {
	if f, is := t.(folder); is {
		return f.top
	}
	return t.Dir()
}

// Copy is a tree that copies a folder of the user.
type Copy interface {
	Tree
	// Origin returns that folder, as an absolute path without links.
	Origin() string
}

// Origin returns the user's folder that a tree copies, or "" if unknown. Installed files may link to it.
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
