package imports

import (
	"strings"

	"forge/codeintel"
)

// cargoPackage is what Cargo.toml says, as far as paths depend on it.
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
	if cargo["package"] == nil {
		return // a workspace is no package
	}
	p := &cargoPackage{name: crateName(cargo.word("package", "name")), renamed: map[string]string{}}
	edition := cargo.word("package", "edition")
	p.old = edition == "2015" || edition == "" && cargo.word("package", "edition.workspace") == ""
	r.packages[folder] = p
	for _, table := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
		p.rename(cargo, table)
	}
	r.addLibrary(p, folder, cargo)
	r.addTargets(folder, cargo)
}

// crateName returns the name that a package has in paths.
func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// rename notes dependencies that have another name here.
func (p *cargoPackage) rename(cargo toml, table string) {
	for key, words := range cargo[table] {
		if alias, ok := strings.CutSuffix(key, ".package"); ok {
			p.renamed[crateName(alias)] = crateName(words[0])
		}
	}
	for name := range cargo {
		if alias, ok := strings.CutPrefix(name, table+"."); ok {
			if original := cargo.word(name, "package"); original != "" {
				p.renamed[crateName(alias)] = crateName(original)
			}
		}
	}
}

func (r *rustResolver) addLibrary(p *cargoPackage, folder string, cargo toml) {
	written := cargo.word("lib", "path")
	if written == "" {
		written = "src/lib.rs"
	}
	name, ok := within(folder, written)
	if !ok || !r.addRoot(name) {
		return
	}
	p.library = r.tree.id[name]
	if own := cargo.word("lib", "name"); own != "" {
		p.name = crateName(own)
	}
	if r.byName[p.name] == nil && p.name != "" {
		r.byName[p.name] = p
	}
}

// addTargets notes the programs, tests and examples of a package.
func (r *rustResolver) addTargets(folder string, cargo toml) {
	for _, table := range []string{"bin", "test", "example", "bench"} {
		for _, written := range cargo.list(table, "path") {
			if name, ok := within(folder, written); ok {
				r.addRoot(name)
			}
		}
	}
	r.addRoot(below(folder, "src/main.rs"))
	if name, ok := within(folder, cargo.word("package", "build")); ok {
		r.addScript(name)
	}
	r.addScript(below(folder, "build.rs"))
	for _, target := range []struct{ folder, key string }{
		{"src/bin", "autobins"}, {"tests", "autotests"}, {"examples", "autoexamples"}, {"benches", "autobenches"},
	} {
		if cargo.word("package", target.key) != "false" {
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
