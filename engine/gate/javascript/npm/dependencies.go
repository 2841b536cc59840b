package npm

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
)

// LacksDependency returns the Missing for a package that a package.json of the project, or of a folder above it in the tree, names and that
// is in none of their node_modules, although a file of the project imports it. The gate runs without it: other files may not need it.
func (p *Project) LacksDependency() gate.Missing {
	folders := p.upward()
	absent := p.notInstalled(folders)
	if len(absent) == 0 || resolvedOtherwise(folders) {
		return gate.Missing{}
	}
	imported := p.imported()
	for _, name := range absent {
		if imported[name] {
			command, dir := p.installsAll()
			return gate.Missing{Program: name, Install: command, Dir: dir, Partly: true}
		}
	}
	return gate.Missing{}
}

// upward returns the folder of the project and those above it in the tree.
func (p *Project) upward() (folders []string) {
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		folders = append(folders, dir)
		if dir == p.Top || dir == filepath.Dir(dir) {
			return folders
		}
	}
}

// notInstalled returns the dependencies that are in no node_modules of some folders, sorted.
func (p *Project) notInstalled(folders []string) []string {
	named := map[string]bool{}
	for _, dir := range folders {
		m := p.Manifest
		if dir != p.Dir {
			m, _ = manifestIn(dir) // a missing one names nothing
		}
		for _, of := range []Texts{m.Dependencies, m.DevDependencies} {
			for name := range of {
				named[name] = true
			}
		}
	}
	delete(named, p.Name)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(named)), func(name string) bool {
		return !filepath.IsLocal(name) || slices.ContainsFunc(folders, func(dir string) bool { return exists(filepath.Join(dir, "node_modules", filepath.FromSlash(name))) })
	})
}

// resolvedOtherwise reports whether packages are not in node_modules: Yarn has them in archives, Deno and Bun in a cache.
func resolvedOtherwise(folders []string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		return slices.ContainsFunc([]string{".pnp.cjs", ".pnp.js", "deno.json", "deno.jsonc", "bun.lock", "bun.lockb"}, func(name string) bool { return exists(filepath.Join(dir, name)) })
	})
}

// imported returns the packages that files of the project import.
func (p *Project) imported() map[string]bool {
	found := map[string]bool{}
	for _, file := range p.Sources.Below(".", IsCode) {
		for _, i := range references(string(p.Sources.Read(file))) {
			parts := strings.SplitN(i.Path, "/", 3)
			name := parts[0]
			if strings.HasPrefix(name, "@") && len(parts) > 1 {
				name += "/" + parts[1]
			}
			found[name] = true
		}
	}
	return found
}

// installsAll returns the command that installs all dependencies, and its folder relative to the project: that of the lock file.
func (p *Project) installsAll() (command, dir string) {
	for _, folder := range p.upward() {
		if command = locked(folder); command == "" {
			continue
		}
		if command == "npm install" && !exists(filepath.Join(folder, "node_modules")) {
			command = "npm ci"
		}
		rel, _ := filepath.Rel(p.Dir, folder) // both are absolute
		return command, filepath.ToSlash(rel)
	}
	return "npm install", ""
}

// locked returns the command that installs what a lock file in a folder lists; empty without one.
func locked(dir string) string {
	for _, lock := range [][2]string{
		{"pnpm-lock.yaml", "pnpm install"}, {"yarn.lock", "yarn install"}, {"bun.lock", "bun install"},
		{"package-lock.json", "npm install"}, {"npm-shrinkwrap.json", "npm install"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, lock[0])); err == nil {
			return lock[1]
		}
	}
	return ""
}

// installer returns the program that installs the project's packages.
func (p *Project) installer() string {
	for _, dir := range p.upward() {
		if command := locked(dir); command != "" {
			return command
		}
	}
	return "npm install"
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
