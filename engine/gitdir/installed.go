package gitdir

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Installed packages are nothing that the user wrote, and no part of a snapshot, whether git ignores it or not: packages of Node.js, and
// virtual environments of Python. What git tracks stays, for somebody has put it there on purpose.

// ModulesFolder is the folder that packages of Node.js are installed in.
const ModulesFolder = "node_modules"

// marksOfEnvironments are what a folder has that is a virtual environment of Python (PEP 405), or one of conda.
var marksOfEnvironments = []string{"pyvenv.cfg", "conda-meta/history"}

// isEnvironment reports whether a folder, by its absolute path, is a virtual environment. A link to one is one.
func isEnvironment(dir string) bool {
	return slices.ContainsFunc(marksOfEnvironments, func(mark string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark)))
		return err == nil && info.Mode().IsRegular()
	})
}

// Environments names the virtual environments of Python in one of the folders of the folder.
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

// installedRules are rules of gitignore(5) that keep git from walking over the largest of what is installed.
func (f *Files) installedRules() []string {
	rules := []string{ModulesFolder}
	for _, name := range f.dir.Environments(".") {
		rules = append(rules, "/"+strings.ReplaceAll(literal.Replace(name), " ", `\ `))
	}
	return rules
}

// usualEnvironments are the names that links to environments have.
var usualEnvironments = []string{".venv", "venv", "env", ".env", ".conda"}

// withoutInstalled leaves out what is installed of a list of paths.
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
