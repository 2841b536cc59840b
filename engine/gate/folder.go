package gate

import "path/filepath"

// InDir is a folder of a tree as a tree of its own.
func InDir(t Tree, dir string) Tree {
	if dir == "" {
		return t
	}
	return folder(filepath.Join(t.Dir(), filepath.FromSlash(dir)))
}

type folder string

func (f folder) Dir() string { return string(f) }
