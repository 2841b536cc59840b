package terminal

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// marks are the files that identify a project.
var marks = []string{"go.mod", "go.work", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements.txt", "Cargo.toml", "deno.json"}

// maxBelow is the depth to which projects are searched below a folder.
const maxBelow = 3

// Place is the folder that a command works on, and the folder in it that the user is in or names.
type Place struct {
	Root   string // the project
	Inside string // the path of the folder in it; empty if they are the same
}

// PlaceOf returns the folder that commands work on if the user names dir: dir itself, or if it contains no project, the nearest
// folder above it in the same git repository that does.
func PlaceOf(dir string) (Place, error) {
	named, err := Folder(dir)
	if err != nil || !inRepository(named) || holdsProject(named) {
		return Place{Root: named}, err
	}
	for at := named; ; at = filepath.Dir(at) {
		if isProject(at) {
			inside, err := filepath.Rel(at, named)
			return Place{Root: at, Inside: filepath.ToSlash(inside)}, err
		}
		if isRepository(at) {
			return Place{Root: named}, nil
		}
	}
}

// WorkedOn is PlaceOf for a run. It says that the run works on the project.
func WorkedOn(t Terminal, dir string) (Place, error) {
	at, err := PlaceOf(dir)
	if err == nil && at.Inside != "" {
		fmt.Fprintf(t.Err, "[forge] %s is part of the project in %s: the run works on the project\n", at.Inside, at.Root)
	}
	return at, err
}

// Path returns the path in the project of one that is relative to the folder. Empty and absolute ones stay.
func (p Place) Path(name string) string {
	if name == "" || path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(p.Inside, filepath.ToSlash(name))
}

// Named is the inverse of Path: it returns a path in the project as one that is relative to the folder.
func (p Place) Named(name string) string {
	if below, err := filepath.Rel(filepath.FromSlash(p.Inside), filepath.FromSlash(name)); p.Inside != "" && err == nil {
		return filepath.ToSlash(below)
	}
	return name
}

// File returns the path in the project of a file that the user names: relative to the folder, absolute, or, if there is such a file, as Forge prints
// it, relative to the project.
func (p Place) File(name string) string {
	if filepath.IsAbs(name) {
		if inside, err := filepath.Rel(resolved(p.Root), resolved(name)); err == nil && filepath.IsLocal(inside) {
			return filepath.ToSlash(inside)
		}
		return name
	}
	if below := p.Path(name); p.has(below) || !p.has(filepath.ToSlash(name)) {
		return below
	}
	return filepath.ToSlash(name)
}

func (p Place) has(name string) bool {
	_, err := os.Lstat(filepath.Join(p.Root, filepath.FromSlash(name)))
	return err == nil
}

// Patterns returns the patterns of paths in the project that the user means in the folder; without patterns the folder. As in the project, one
// without a slash is a pattern of names at any depth.
func (p Place) Patterns(patterns []string) (all []string) {
	if p.Inside != "" && len(patterns) == 0 {
		return []string{p.Inside}
	}
	for _, pattern := range patterns {
		all = append(all, p.pattern(pattern))
	}
	return all
}

func (p Place) pattern(pattern string) string {
	slashed := filepath.ToSlash(pattern)
	below, deep := p.Path(pattern), strings.Contains(slashed, "/")
	switch {
	case filepath.IsAbs(pattern):
		below = p.File(pattern)
	case p.Inside == "":
		return pattern
	case !deep && strings.ContainsAny(slashed, "*?{"):
		return path.Join(p.Inside, "**", slashed)
	case strings.HasPrefix(slashed, p.Inside+"/") && !p.has(below): // as Forge prints it
		return slashed
	}
	if deep && !strings.Contains(below, "/") {
		return "./" + below // not at any depth
	}
	return below
}

// resolved returns a path without links, as far as it exists.
func resolved(name string) string {
	if whole, err := filepath.EvalSymlinks(name); err == nil {
		return whole
	}
	if dir := filepath.Dir(name); dir != name {
		return filepath.Join(resolved(dir), filepath.Base(name))
	}
	return name
}

// FromHere returns a path in a folder relative to the working directory.
func FromHere(root, name string) string {
	whole := filepath.Join(root, filepath.FromSlash(name))
	here, err := os.Getwd()
	if err != nil {
		return whole
	}
	if here, err = filepath.Rel(resolved(here), filepath.Join(resolved(root), filepath.FromSlash(name))); err != nil {
		return whole
	}
	return here
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
