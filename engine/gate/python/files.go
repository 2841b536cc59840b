package python

import (
	"io/fs"
	"os"
	"path"
	"slices"
)

// sources gives the Python files of a folder of the project itself, sorted. Symbolic links are not followed.
func sources(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isForeign(entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular() && path.Ext(name) == ".py":
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}
