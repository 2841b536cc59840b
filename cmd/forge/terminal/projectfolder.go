package terminal

import (
	"fmt"
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

// Within returns a path that the user named in a folder as a path in the project; inside is that of ProjectFolder. Empty and absolute ones stay.
func Within(inside, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.FromSlash(inside), name)
}

// Below returns the patterns of paths in the project that are meant in a folder of it; without patterns the folder.
func Below(inside string, patterns []string) (all []string) {
	if inside != "" && len(patterns) == 0 {
		return []string{inside}
	}
	for _, pattern := range patterns {
		all = append(all, filepath.ToSlash(Within(inside, pattern)))
	}
	return all
}

// WorkedOn is ProjectFolder for a run, which may concern a file in the folder. It says that the run works on the project, and returns the path of
// the file in it.
func WorkedOn(t Terminal, dir, file string) (root, path string, err error) {
	root, inside, err := ProjectFolder(dir)
	if err == nil && inside != "" {
		fmt.Fprintf(t.Err, "[forge] %s is part of the project in %s: the run works on the project\n", inside, root)
	}
	return root, Within(inside, file), err
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
