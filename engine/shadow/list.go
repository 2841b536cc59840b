package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// List returns the paths of the tree's files, sorted: those of the commit it was brought to and those that Apply wrote, as
// far as they are there as regular files. What tools left in the tree is not listed, so that the list
// does not depend on which of them ran.
func (t *Tree) List(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	paths := slices.Collect(maps.Keys(t.known.files))
	for name := range t.applied {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	root, err := os.OpenRoot(t.Dir())
	if err != nil {
		return nil, fmt.Errorf("list the scratch tree: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return slices.DeleteFunc(slices.Compact(paths), func(name string) bool { return !regular(root, name) }), nil
}

func regular(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeType == 0
}
