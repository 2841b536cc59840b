package imports

import (
	"slices"
	"strings"

	"forge/codeintel"
)

var rustLanguages = []codeintel.Language{codeintel.LanguageRust}

// rustResolver resolves paths of Rust to the file of the module they lead to, or that holds the item they name:
//
//   - The modules of a crate lie as Cargo and rustc have it: a.rs or a/mod.rs in the folder of the file they belong
//     to, which for a crate root and a mod.rs is its own folder, and for b.rs the folder b. Modules written within
//     a file have no file: what is in them is in that file, or in a folder of their name.
//   - "crate", "self" and "super" start at the crate root, the module of the file and the module around it; another
//     first word names a module of the file, then a crate of the tree by its name or by the name that Cargo.toml gives
//     it, then, before the edition of 2018, a module of the crate root.
//   - "mod a;" is "self::a". Groups ("a::{b, c}") lead to each of their parts, "a::*" to a.
//   - The crate roots are those of Cargo: src/lib.rs, src/main.rs, src/bin, tests, examples, benches, build.rs, and
//     those that Cargo.toml names. Without any, lib.rs or main.rs of a folder above is the root.
type rustResolver struct {
	tree     *tree
	packages map[string]*cargoPackage
	byName   map[string]*cargoPackage // libraries of the tree, by the name they have in paths
	isRoot   map[unit]bool
	roots    map[string][]unit   // crate roots by folder: the one that its other files belong to first
	folders  map[string][]string // the folders in a folder
}

// place is a module while a path is followed: its file, and the folder of the modules in it.
type place struct {
	file   unit
	known  bool // whether the module has a file
	folder string
}

func newRustResolver(t *tree, languages []codeintel.Language) resolver {
	r := &rustResolver{
		tree: t, packages: map[string]*cargoPackage{}, byName: map[string]*cargoPackage{},
		isRoot: map[unit]bool{}, roots: map[string][]unit{}, folders: map[string][]string{},
	}
	folders := t.foldersAbove(languages)
	for _, folder := range folders {
		if folder != "" {
			r.folders[folderOf(folder)] = append(r.folders[folderOf(folder)], folder)
		}
	}
	for _, folder := range folders {
		r.readPackage(folder)
	}
	for _, folder := range folders {
		if len(r.roots[folder]) == 0 && r.packageOf(folder) == nil {
			r.addRoot(below(folder, "lib.rs"))
			r.addRoot(below(folder, "main.rs"))
		}
	}
	return r
}

// addScript makes a file, if it is there, the root of a crate that no other file of its folder belongs to.
func (r *rustResolver) addScript(name string) {
	if u, ok := r.tree.id[name]; ok {
		r.isRoot[u] = true
	}
}

// addRoot makes a file, if it is there, a crate root.
func (r *rustResolver) addRoot(name string) bool {
	u, ok := r.tree.id[name]
	if ok && !r.isRoot[u] {
		r.isRoot[u] = true
		r.roots[folderOf(name)] = append(r.roots[folderOf(name)], u)
	}
	return ok
}

func (r *rustResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	for _, path := range rustPaths(need) {
		if u, ok := r.follow(from.Path, path); ok {
			to = append(to, u)
		}
	}
	return to
}

// follow finds the file of a path without groups.
func (r *rustResolver) follow(from string, path []string) (unit, bool) {
	if len(path) == 0 {
		return 0, false
	}
	own := r.placeOf(from)
	switch path[0] {
	case "crate":
		return r.inside(r.crateRoot(from), path[1:])
	case "self":
		return r.inside(own, path[1:])
	case "super":
		at := own
		for len(path) > 0 && path[0] == "super" {
			at, path = r.around(at), path[1:]
		}
		return r.inside(at, path)
	}
	if _, ok := r.child(own, path[0]); ok {
		return r.inside(own, path)
	}
	return r.elsewhere(from, path)
}

// elsewhere follows a path that begins with the name of a crate.
func (r *rustResolver) elsewhere(from string, path []string) (unit, bool) {
	p := r.packageOf(folderOf(from))
	name := path[0]
	if p != nil && p.renamed[name] != "" {
		name = p.renamed[name]
	}
	if library := r.byName[name]; library != nil {
		return r.inside(place{library.library, true, folderOf(r.tree.files[library.library].Path)}, path[1:])
	}
	if p == nil || !p.old {
		return 0, false
	}
	root := r.crateRoot(from)
	if _, ok := r.child(root, path[0]); !ok {
		return 0, false
	}
	return r.inside(root, path)
}

// inside follows a path from a module down to the file of the last module on it.
func (r *rustResolver) inside(at place, path []string) (unit, bool) {
	for _, name := range path {
		next, ok := r.child(at, name)
		if !ok {
			break
		}
		at = next
	}
	return at.file, at.known
}

// child finds a module in another. One that is only a folder is written within the file around it.
func (r *rustResolver) child(at place, name string) (place, bool) {
	if at.folder == "." || name == "" || strings.ContainsAny(name, "./*") {
		return place{}, false
	}
	folder := below(at.folder, name)
	for _, file := range []string{folder + ".rs", folder + "/mod.rs"} {
		if u, ok := r.tree.id[file]; ok && name != "lib" && name != "main" {
			return place{u, true, folder}, true
		}
	}
	if r.tree.folders[folder] != nil && len(r.roots[folder]) == 0 {
		return place{at.file, at.known, folder}, true
	}
	return place{}, false
}

// placeOf returns the module that a file is.
func (r *rustResolver) placeOf(name string) place {
	u := r.tree.id[name]
	folder := strings.TrimSuffix(name, ".rs")
	if r.isRoot[u] || folder == "mod" || strings.HasSuffix(folder, "/mod") {
		folder = folderOf(name)
	}
	return place{u, true, folder}
}

// outside is the place around a crate root: nothing is in it.
var outside = place{folder: "."}

// around returns the module that contains another.
func (r *rustResolver) around(at place) place {
	if at.known && r.isRoot[at.file] || at.folder == "" || at.folder == "." {
		return outside
	}
	folder := folderOf(at.folder)
	if root, ok := r.rootIn(folder); ok {
		return root
	}
	for _, file := range []string{folder + ".rs", below(folder, "mod.rs")} {
		if u, ok := r.tree.id[file]; ok {
			return place{u, true, folder}
		}
	}
	return place{folder: folder}
}

// crateRoot returns the root of the crate that a file belongs to.
func (r *rustResolver) crateRoot(name string) place {
	if own := r.placeOf(name); r.isRoot[own.file] {
		return own
	}
	for folder := range upwards(folderOf(name)) {
		if root, ok := r.rootIn(folder); ok {
			return root
		}
		if r.packages[folder] != nil {
			break
		}
	}
	return outside
}

// rootIn returns the crate root that the modules of a folder belong to. Where several crates share a folder, as
// tests do, it is not known which, but modules are found all the same.
func (r *rustResolver) rootIn(folder string) (place, bool) {
	roots := r.roots[folder]
	if len(roots) == 0 {
		return place{}, false
	}
	name := r.tree.files[roots[0]].Path
	known := len(roots) == 1 || strings.HasSuffix(name, "lib.rs") || strings.HasSuffix(name, "main.rs")
	return place{roots[0], known, folder}, true
}

// maxRustPaths bounds into how many paths the groups of one import are split.
const maxRustPaths = 1000

// rustPaths splits an import into its paths: "a::{b, c as d, self}" into a::b, a::c and a.
func rustPaths(need codeintel.Import) [][]string {
	text := strings.TrimPrefix(strings.TrimSpace(need.Path), "::")
	if module, ok := strings.CutPrefix(text, "mod "); ok {
		text = "self::" + module
	}
	var written []string
	for _, name := range need.Names {
		written = append(written, text+"::"+name)
	}
	if len(need.Names) == 0 || strings.Contains(text, "{") {
		written = []string{text}
	}
	var paths [][]string
	for _, path := range written {
		paths = appendRustPaths(paths, nil, path)
	}
	return paths
}

// appendRustPaths splits a path with groups. Every part of a group is shorter than the group, so that this ends.
func appendRustPaths(paths [][]string, prefix []string, text string) [][]string {
	if len(paths) >= maxRustPaths {
		return paths
	}
	before, group, ok := strings.Cut(text, "{")
	path := append(slices.Clone(prefix), rustSegments(before)...)
	if !ok {
		if len(path) > 1 && path[len(path)-1] == "self" {
			path = path[:len(path)-1] // what precedes it
		}
		return append(paths, path)
	}
	for _, part := range splitGroup(group) {
		if strings.TrimSpace(part) != "" { // a comma may be the last
			paths = appendRustPaths(paths, path, part)
		}
	}
	return paths
}

// rustSegments returns the names of a path. A name given by "as" is none of them, nor is "*".
func rustSegments(text string) []string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " as ")
	var names []string
	for name := range strings.SplitSeq(text, "::") {
		name = strings.TrimPrefix(strings.TrimSpace(name), "r#")
		if name != "" && name != "*" {
			names = append(names, name)
		}
	}
	return names
}

// splitGroup cuts what follows "{" at its commas, up to its "}".
func splitGroup(text string) []string {
	var parts []string
	depth, from := 0, 0
	for at := range len(text) {
		switch text[at] {
		case '{':
			depth++
		case ',', '}':
			if depth == 0 {
				parts = append(parts, text[from:at])
				from = at + 1
			}
			if text[at] == '}' {
				depth--
			}
		}
		if depth < 0 {
			return parts
		}
	}
	return append(parts, text[from:])
}
