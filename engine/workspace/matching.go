package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Matching returns the files and folders in a folder whose paths there match a pattern of path.Match. The name of the folder itself is no
// pattern, as it is for filepath.Glob. A missing folder has none.
func Matching(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names, err
}
