package python

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"forge/engine/gate"
)

// environment finds the programs of a project's virtual environment: the one in its folder, or in the nearest folder above it in the repository.
// name is the environment as the user names it from the project. One that is part of the tree is not used: only files linked from outside of the
// tree existed before the run, and cannot come from a model.
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

// programsOf is the folder of programs of an environment outside of the tree; else empty.
func programsOf(environment, top string) string {
	bin := "bin"
	if runtime.GOOS == "windows" {
		bin = "Scripts"
	}
	// The path must not lead through the tree: otherwise Python's own library would be in the tree.
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

// managedEnvironment finds the environment that Poetry or Pipenv has made in its own place for a folder of the user, by its name: an editor is rarely started
// where it is activated. An environment that is activated is the user's choice.
//
// https://python-poetry.org/docs/configuration and https://pipenv.pypa.io/en/latest/virtualenv.html
func managedEnvironment(tree gate.Tree, env func(string) string) (programs, name string) {
	origin := gate.Origin(tree)
	if origin == "" || env("VIRTUAL_ENV") != "" || env("CONDA_PREFIX") != "" && env("CONDA_DEFAULT_ENV") != "base" {
		return "", ""
	}
	top := gate.Top(tree)
	for _, dir := range upwards(tree) {
		rel, err := filepath.Rel(top, dir)
		if err != nil {
			return "", ""
		}
		for _, found := range keptBy(dir, filepath.Join(origin, rel), env) {
			if programs := programsOf(found, top); programs != "" {
				return programs, found
			}
		}
	}
	return "", ""
}

// keptBy are the environments of a folder that others keep, the newest version of Python first. dir is the folder's copy in the tree.
func keptBy(dir, folder string, env func(string) string) (found []string) {
	has := func(name string) bool {
		info, err := os.Lstat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	if has("poetry.lock") || has("pyproject.toml") && inspectFiles(dir).section("pyproject.toml", "tool.poetry") {
		found = matching(poetrysFolder(env), "*-"+digestOf(folder)+"-py*")
	}
	if has("Pipfile") {
		found = append(found, matching(pipenvsFolder(env), "*-"+digestOf(filepath.Join(folder, "Pipfile")))...)
	}
	return found
}

// digestOf is what names of environments end with. Eight characters of the alphabet for URLs are six bytes.
func digestOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

func matching(folder, pattern string) []string {
	if !filepath.IsAbs(folder) {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range entries {
		if is, err := filepath.Match(pattern, entry.Name()); err == nil && is {
			found = append(found, filepath.Join(folder, entry.Name()))
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }) // py3.10 is newer than py3.9
	return found
}

// poetrysFolder is where Poetry keeps its environments.
func poetrysFolder(env func(string) string) string {
	if dir := env("POETRY_VIRTUALENVS_PATH"); dir != "" {
		return dir
	}
	cache := env("POETRY_CACHE_DIR")
	switch {
	case cache != "":
	case runtime.GOOS == "darwin":
		cache = filepath.Join(env("HOME"), "Library", "Caches", "pypoetry")
	case env("XDG_CACHE_HOME") != "":
		cache = filepath.Join(env("XDG_CACHE_HOME"), "pypoetry")
	default:
		cache = filepath.Join(env("HOME"), ".cache", "pypoetry")
	}
	return filepath.Join(cache, "virtualenvs")
}

// pipenvsFolder is where Pipenv keeps its environments.
func pipenvsFolder(env func(string) string) string {
	switch {
	case env("WORKON_HOME") != "":
		return env("WORKON_HOME")
	case env("XDG_DATA_HOME") != "":
		return filepath.Join(env("XDG_DATA_HOME"), "virtualenvs")
	}
	return filepath.Join(env("HOME"), ".local", "share", "virtualenvs")
}
