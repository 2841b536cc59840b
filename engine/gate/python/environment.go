package python

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"forge/engine/gate"
)

// environment finds the programs of a project's virtual environment: the one in its folder, or in the nearest folder above it in the repository.
// name is the environment as the user names it from the project. One that is part of the tree is not used: only what is linked into it
// from outside was there before a run, and cannot be what a model wrote.
func environment(tree gate.Tree) (programs, name string) {
	top, err := filepath.EvalSymlinks(gate.Top(tree))
	if err != nil {
		return "", ""
	}
	up := ""
	for _, dir := range upwards(tree) {
		for _, name := range environmentsIn(dir) {
			if programs := programsOf(filepath.Join(dir, name), top); programs != "" {
				return programs, filepath.Join(up, name)
			}
		}
		up = filepath.Join("..", up)
	}
	for _, dir := range aboveWorkspace(gate.Origin(tree)) {
		for _, name := range environmentsIn(dir) {
			if programs := programsOf(filepath.Join(dir, name), top); programs != "" {
				return programs, filepath.Join(up, name)
			}
		}
		up = filepath.Join("..", up)
	}
	return "", ""
}

// aboveWorkspace are the folders above the one that the user has opened, as far as they are of the same repository: a package of a repository
// has its environment at the top.
func aboveWorkspace(folder string) (dirs []string) {
	for dir := folder; folder != ""; {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dirs
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return nil
}

// upwards are the folder of a project and those above it, up to the root of the tree.
func upwards(tree gate.Tree) (dirs []string) {
	for dir := tree.Dir(); ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == gate.Top(tree) || dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// environmentsIn names the virtual environments in a folder, by whatever names: those with the usual ones first.
// https://docs.python.org/3/library/venv.html
func environmentsIn(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if isEnvironment(filepath.Join(dir, entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	usual := func(name string) int { return (slices.Index([]string{"venv", ".venv"}, name) + 1) * -1 }
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(usual(a), usual(b)) })
	return names
}

// programsOf is the folder of programs of an environment that lies outside of the tree; else empty.
func programsOf(environment, top string) string {
	bin := "bin"
	if runtime.GOOS == "windows" {
		bin = "Scripts"
	}
	// The path must not lead through the tree: what Python would call its own library would lie in the tree then.
	real, err := filepath.EvalSymlinks(filepath.Join(environment, bin))
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(rel) {
		return ""
	}
	if !isEnvironment(filepath.Dir(real)) {
		return ""
	}
	return real
}

// isEnvironment reports whether a folder is a virtual environment, or one of conda.
func isEnvironment(dir string) bool {
	return slices.ContainsFunc([]string{"pyvenv.cfg", "conda-meta"}, func(mark string) bool {
		_, err := os.Stat(filepath.Join(dir, mark))
		return err == nil
	})
}

// beginnings are the files that make a folder a project for packagers or test runners.
var beginnings = []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini"}

// enclosed reports whether a project lies in another one.
func enclosed(tree gate.Tree) bool {
	return len(project{tree: tree}.around()) > 0
}

// folder is a folder of a tree.
type folder string

func (f folder) Dir() string { return string(f) }
