package python

import (
	"path"
	"slices"
	"strings"
)

// roots are the folders in which projects begin: those with a file that packagers or test runners read, but not one inside of
// another that only has a list of requirements; and the tree itself when Python files lie at its top.
func roots(paths []string, _ func(string) ([]byte, error)) []string {
	strong, weak := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		dir, base := folderOf(p), path.Base(p)
		switch {
		case isForeign(dir):
		case slices.Contains([]string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini"}, base):
			strong[dir] = true
		case isRequirements(base), dir == "" && path.Ext(base) == ".py":
			weak[dir] = true
		}
	}
	found := []string{}
	for dir := range weak {
		if !strong[dir] && !inside(dir, strong) && !inside(dir, weak) {
			found = append(found, dir)
		}
	}
	for dir := range strong {
		if !isFixture(dir) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return found
}

// isRequirements recognises what pip reads: requirements.txt, requirements-dev.txt.
func isRequirements(base string) bool {
	return strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt"
}

// inside reports whether a folder lies below one of the others.
func inside(dir string, others map[string]bool) bool {
	for dir != "" {
		if dir = folderOf(dir); others[dir] {
			return true
		}
	}
	return false
}

// isForeign reports whether a folder holds what others wrote: installed packages, or what tools keep.
func isForeign(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || slices.Contains([]string{"venv", "node_modules", "site-packages", "__pycache__"}, part)
	})
}

// isFixture reports whether a folder lies in tests or documentation: a project there is one that something is tried on.
func isFixture(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"tests", "test", "testdata", "testing", "fixtures"}, part)
	})
}

// folderOf is the folder of a path, "" for the root.
func folderOf(p string) string {
	dir, _ := path.Split(p)
	return strings.TrimSuffix(dir, "/")
}
