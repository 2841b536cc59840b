package imports

import (
	"cmp"
	"strings"

	"forge/codeintel"
)

// cargoPackage is the part of Cargo.toml on which paths depend.
type cargoPackage struct {
	name    string            // of its library in paths
	library unit              // the root of its library, where there is one
	renamed map[string]string // names that dependencies have in paths here, to those they have elsewhere
	old     bool              // of the edition of 2015
}

// readPackage reads Cargo.toml of a folder and notes its crate roots.
func (r *rustResolver) readPackage(folder string) {
	content := r.tree.config(below(folder, "Cargo.toml"))
	if content == nil {
		return
	}
	cargo := readTOML(content)
	own := cargo.in("package")
	if own == nil {
		return // a workspace is no package
	}
	p := &cargoPackage{name: crateName(own.word("name")), renamed: map[string]string{}}
	p.old = own["edition"] == nil || own.word("edition") == "2015" // else it may be the workspace's
	r.packages[folder] = p
	for _, table := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
		p.rename(cargo.in(table))
	}
	r.addLibrary(p, folder, cargo)
	r.addTargets(folder, cargo)
}

// crateName returns the name that a package has in paths.
func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// rename notes dependencies that have another name here.
func (p *cargoPackage) rename(dependencies table) {
	for _, alias := range dependencies.keys() {
		if original := dependencies.in(alias).word("package"); original != "" {
			p.renamed[crateName(alias)] = crateName(original)
		}
	}
}

func (r *rustResolver) addLibrary(p *cargoPackage, folder string, cargo table) {
	written := cmp.Or(cargo.in("lib").word("path"), "src/lib.rs")
	name, ok := within(folder, written)
	if !ok || !r.addRoot(name) {
		return
	}
	p.library = r.tree.id[name]
	if own := cargo.in("lib").word("name"); own != "" {
		p.name = crateName(own)
	}
	if r.byName[p.name] == nil && p.name != "" {
		r.byName[p.name] = p
	}
}

// addTargets notes the programs, tests and examples of a package.
func (r *rustResolver) addTargets(folder string, cargo table) {
	own := cargo.in("package")
	for _, kind := range []string{"bin", "test", "example", "bench"} {
		for _, target := range cargo.tables(kind) {
			if name, ok := within(folder, target.word("path")); ok && target.word("path") != "" {
				r.addRoot(name)
			}
		}
	}
	r.addRoot(below(folder, "src/main.rs"))
	if name, ok := within(folder, own.word("build")); ok && own.word("build") != "" {
		r.addScript(name)
	}
	r.addScript(below(folder, "build.rs"))
	for _, target := range []struct{ folder, key string }{
		{"src/bin", "autobins"}, {"tests", "autotests"}, {"examples", "autoexamples"}, {"benches", "autobenches"},
	} {
		if own[target.key] != false {
			r.addFolder(below(folder, target.folder))
		}
	}
}

// addFolder makes each file of a folder, and each main.rs one folder below, a crate root.
func (r *rustResolver) addFolder(folder string) {
	for _, u := range r.tree.folders[folder] {
		if r.tree.files[u].Language == codeintel.LanguageRust && !strings.HasSuffix(r.tree.files[u].Path, "/mod.rs") {
			r.addRoot(r.tree.files[u].Path)
		}
	}
	for _, inner := range r.folders[folder] {
		r.addRoot(inner + "/main.rs")
	}
}

// packageOf returns the package that a folder belongs to; nil if there is none.
func (r *rustResolver) packageOf(folder string) *cargoPackage {
	for up := range upwards(folder) {
		if p := r.packages[up]; p != nil {
			return p
		}
	}
	return nil
}
