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

// elsewhere finds the environment that Poetry or Pipenv has made for a folder of the user's in a place of its own, by the name that they give it: an
// editor is seldom started where it is activated. An environment that is activated is the user's choice.
//
// https://python-poetry.org/docs/configuration and https://pipenv.pypa.io/en/latest/virtualenv.html
func elsewhere(tree gate.Tree, env func(string) string) (programs, name string) {
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
