package golang

import (
	"slices"
	"time"
)

// compilation is how far the build gate got in a tree with packages that only import what has changed: tests of what could not be compiled in
// time are not begun, and have as long as compiling left.
type compilation struct {
	left  []string
	spent time.Duration
}

// hopeful are the packages of chunks whose tests can be compiled from what is compiled.
func (c compilation) hopeful(all []listed, chunks [][]string) [][]string {
	if len(c.left) == 0 {
		return chunks
	}
	missing := func(path string) bool { return slices.Contains(c.left, path) }
	paths := slices.DeleteFunc(slices.Concat(chunks...), func(path string) bool {
		at := slices.IndexFunc(all, func(p listed) bool { return p.path == path })
		return missing(path) || at >= 0 && slices.ContainsFunc(all[at].testsUse, missing)
	})
	return inChunks(paths)
}
