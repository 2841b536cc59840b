package shadow

import (
	"fmt"
	"io/fs"
	"os"
)

// List returns the paths of the tree's files, sorted. Links are not followed and not listed.
func (t *Tree) List() ([]string, error) {
	var paths []string
	err := fs.WalkDir(os.DirFS(t.Dir()), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the scratch tree: %w", err)
	}
	return paths, nil
}
