package golang

import (
	"slices"
	"sync"
	"time"
)

// compilations are how far the build gate got in trees, by folder, with packages that only import what has changed: tests of what could not be
// compiled in time are not begun, and have as long as compiling left.
type compilations struct{ trees sync.Map }

// compilation is how far it got in a tree.
type compilation struct {
	state string // of the tree, see stateOf
	left  []string
	spent time.Duration
}

func (c *compilations) keep(dir string, of compilation) {
	if c != nil {
		c.trees.Store(dir, of)
	}
}

// of is how far it got in a tree in a state; nothing is left out, and no time was spent, where that is not known.
func (c *compilations) of(dir, state string) (of compilation) {
	if c == nil {
		return of
	}
	known, _ := c.trees.Load(dir)
	if last, is := known.(compilation); is && last.state == state {
		return last
	}
	return of
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
