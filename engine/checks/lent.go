package checks

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lentFolders returns the installed packages, outside of a tree but inside the folders of its users, that links in the tree lead to. Other
// links are not followed: a project may contain one to a file with secrets.
func lentFolders(tree string, roots []string) (lent []string) {
	seen := map[string]bool{}
	_ = filepath.WalkDir(tree, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return nil //nolint:nilerr // unreadable: it lends nothing
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || inside(tree, real) {
			return nil //nolint:nilerr // broken
		}
		for _, root := range roots {
			if folder := installation(root, real); folder != "" && !seen[folder] {
				seen[folder] = true
				lent = append(lent, folder)
			}
		}
		return nil
	})
	return lent
}

// installation returns the folder of installed packages in a root that a path is in, or the path itself if it is a generated
// version module of Python; empty if it is neither.
func installation(root, path string) string {
	rest, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rest) {
		return ""
	}
	at := root
	for _, part := range strings.Split(rest, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if part == "node_modules" {
			return at
		}
		if _, err := os.Stat(filepath.Join(at, "pyvenv.cfg")); err == nil {
			return at
		}
	}
	if name := filepath.Base(path); strings.HasSuffix(name, ".py") && strings.Contains(name, "ver") && !slices.Contains(strings.Split(rest, string(filepath.Separator)), ".git") {
		return path
	}
	return ""
}
