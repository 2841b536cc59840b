package terminal

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// marks are the files that identify a project.
var marks = []string{"go.mod", "go.work", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Cargo.toml", "deno.json"}

// maxBelow is the depth to which projects are searched below a folder.
const maxBelow = 3

// ProjectFolder returns the folder that runs work on if the user names dir: dir itself, or if it contains no project, the nearest
// folder above it in the same git repository that does. inside is the path of dir in it; empty if they are the same.
func ProjectFolder(dir string) (root, inside string, err error) {
	named, err := Folder(dir)
	if err != nil || !inRepository(named) || holdsProject(named) {
		return named, "", err
	}
	for at := named; ; at = filepath.Dir(at) {
		if isProject(at) {
			inside, err = filepath.Rel(at, named)
			return at, filepath.ToSlash(inside), err
		}
		if isRepository(at) {
			return named, "", nil
		}
	}
}

func isProject(dir string) bool {
	return slices.ContainsFunc(marks, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil || dir == filepath.Dir(dir)
}

// inRepository reports whether a folder is below the top of a git repository.
func inRepository(dir string) bool {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if isRepository(at) {
			return at != dir
		}
	}
	return false
}

// holdsProject reports whether a folder, or one at most maxBelow levels below it, is a project.
func holdsProject(dir string) (found bool) {
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil //nolint:nilerr // an unreadable folder holds none
		}
		rel, _ := filepath.Rel(dir, name)
		base := entry.Name()
		if name != dir && (strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "vendor", "testdata", "target"}, base) || strings.Count(rel, string(filepath.Separator)) >= maxBelow) {
			return fs.SkipDir
		}
		if found = isProject(name); found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}
