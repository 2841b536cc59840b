package gitdir

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Installed packages are not written by the user, and are never in a snapshot, whether git ignores them or not: packages of
// Node.js, and virtual environments of Python. Tracked files stay, because a user added them on purpose.

// ModulesFolder is the folder of installed Node.js packages.
const ModulesFolder = "node_modules"

// marksOfEnvironments are files that only a virtual environment of Python (PEP 405), or of conda, contains.
var marksOfEnvironments = []string{"pyvenv.cfg", "conda-meta/history"}

// isEnvironment reports whether a folder, by its absolute path, is a virtual environment, or a link to one.
func isEnvironment(dir string) bool {
	return slices.ContainsFunc(marksOfEnvironments, func(mark string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark)))
		return err == nil && info.Mode().IsRegular()
	})
}

// Environments returns the names of the virtual environments of Python in a subfolder.
func (d *Dir) Environments(dir string) (names []string) {
	entries, err := os.ReadDir(d.At(dir))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() && isEnvironment(filepath.Join(d.At(dir), entry.Name())) {
			names = append(names, path.Join(dir, entry.Name()))
		}
	}
	return names
}

// installedRules are rules of gitignore(5) that exclude the largest installed folders from git's walk.
func (f *Files) installedRules() []string {
	rules := []string{ModulesFolder}
	for _, name := range f.dir.Environments(".") {
		rules = append(rules, "/"+strings.ReplaceAll(literal.Replace(name), " ", `\ `))
	}
	return rules
}

// usualEnvironments are common names of links to environments.
var usualEnvironments = []string{".venv", "venv", "env", ".env", ".conda"}

// withoutInstalled drops installed files from a list of paths.
func (f *Files) withoutInstalled(names []string) []string {
	environments := map[string]bool{}
	for _, name := range names {
		for _, mark := range marksOfEnvironments {
			if dir, is := strings.CutSuffix(name, "/"+mark); is {
				environments[dir] = true
			}
		}
		if slices.Contains(usualEnvironments, path.Base(name)) && isEnvironment(f.dir.At(name)) {
			environments[name] = true
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if environments[name] || path.Base(name) == ModulesFolder {
			return true
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if environments[dir] || path.Base(dir) == ModulesFolder {
				return true
			}
		}
		return false
	})
}
