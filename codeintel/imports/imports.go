// Package imports finds out which file of a folder imports which: it resolves what files say they need, as the
// tools of each language do, with go.mod, tsconfig.json and their like.
//
//	[]File ──▶ tree ──▶ resolver of each language ──▶ Graph
//	read ────────────▶ go.mod, go.work, package.json, tsconfig.json, pyproject.toml, Cargo.toml, …
//
// The languages have in common:
//
//   - An import leads to files that were given to Resolve, or nowhere. Nothing is read but configuration, in folders
//     above a source file, and no path leaves the root: what a configuration says about "../.." is not followed.
//   - Nothing imports itself, and files of one package do not import each other: a Go file sees the rest of its
//     package, and a Java file the classes beside it, without an import. Search has a signal of its own for that.
//   - What cannot be decided leads nowhere. An edge that is missing costs less than one that is made up.
//
// Absent on purpose: what is installed (vendor, node_modules, site-packages) is never the answer to an import, and
// code is never run to find out what it would import.
package imports

import (
	"slices"

	"forge/codeintel"
)

// unit is something that can be imported: a file, by its place in tree.files, or, from len(tree.files) on, a group
// of files that are imported as a whole, by its place in tree.groups.
type unit int32

// resolver knows the rules of one language.
type resolver interface {
	// resolve appends the units that an import of a file leads to. It may append what is there already, and the
	// file itself.
	resolve(to []unit, from *File, need codeintel.Import) []unit
}

// Resolve finds out what the files of a folder import. The order of the files does not matter; of two with the same
// path the later one counts, and one whose path is absolute, leads out of the root or is not clean is left out.
//
// read returns a file of configuration by its path below the root; an error means that there is none, and what is
// not well formed counts as empty. It is called in any order, by one goroutine, and again by With.
func Resolve(files []File, read func(path string) ([]byte, error)) *Graph {
	t := newTree(files, read)
	g := &Graph{tree: t, resolvers: resolversOf(t), imports: make([][]unit, len(t.files))}
	counts := make([]int32, len(t.files)+len(t.groups))
	for i := range t.files {
		g.imports[i] = g.resolve(&t.files[i])
		for _, u := range g.imports[i] {
			counts[u]++
		}
	}
	g.importers = make([][]int32, len(counts))
	for i, units := range g.imports {
		for _, u := range units {
			if g.importers[u] == nil {
				g.importers[u] = make([]int32, 0, counts[u])
			}
			g.importers[u] = append(g.importers[u], int32(i))
		}
	}
	return g
}

// resolversOf makes the resolvers of the languages that the files are written in. They add their groups to the tree.
func resolversOf(t *tree) map[codeintel.Language]resolver {
	makers := []struct {
		languages []codeintel.Language
		make      func(*tree, []codeintel.Language) resolver
	}{
		{goLanguages, newGoResolver},
		{pythonLanguages, newPythonResolver},
		{scriptLanguages, newScriptResolver},
		{rustLanguages, newRustResolver},
		{javaLanguages, newJavaResolver},
		{cLanguages, newCResolver},
	}
	resolvers := map[codeintel.Language]resolver{}
	for _, m := range makers {
		if !t.has(m.languages) {
			continue
		}
		r := m.make(t, m.languages)
		for _, language := range m.languages {
			resolvers[language] = r
		}
	}
	return resolvers
}

// With returns the graph that Resolve would make with a file added, or put in the place of the one with its path;
// g stays as it is. It copies a few words for each file where one that is there changes its imports, and is a Resolve
// where more may depend on it: where the file is new, is of another language or package than before, or where
// modules of Go are guessed from all imports. A changed configuration needs a new Resolve.
func (g *Graph) With(file File) *Graph {
	if g.tree == nil {
		return Resolve([]File{file}, nil)
	}
	at, known := g.tree.id[file.Path]
	if !known || !g.local(g.tree.files[at], file) {
		return Resolve(append(slices.Clone(g.tree.files), file), g.tree.read)
	}
	t := *g.tree
	t.files = slices.Clone(t.files)
	t.files[at] = file
	with := &Graph{tree: &t, resolvers: g.resolvers, imports: slices.Clone(g.imports), importers: slices.Clone(g.importers)}
	with.imports[at] = with.resolve(&file)
	for _, u := range g.imports[at] {
		with.importers[u] = without(with.importers[u], int32(at))
	}
	for _, u := range with.imports[at] {
		with.importers[u] = including(with.importers[u], int32(at))
	}
	return with
}

// local reports whether only the imports of a file itself change when it is replaced.
func (g *Graph) local(before, after File) bool {
	if guess, ok := g.resolvers[after.Language].(*goResolver); ok && guess.guessed {
		return false
	}
	return before.Language == after.Language && before.Package == after.Package
}

// resolve returns what a file imports, in order and once each.
func (g *Graph) resolve(file *File) []unit {
	r := g.resolvers[file.Language]
	if r == nil || len(file.Imports) == 0 {
		return nil
	}
	var units []unit
	for _, need := range file.Imports {
		units = r.resolve(units, file, need)
	}
	slices.Sort(units)
	units = slices.Compact(units)
	self := g.tree.id[file.Path]
	return slices.Clip(slices.DeleteFunc(units, func(u unit) bool { return u == self }))
}

// DefaultDepth is how far Transitive and Downstream are asked to go by default: what a file
// imports, and what that imports.
const DefaultDepth = 2

// Graph holds which file imports which. No file imports itself; files outside of the folder are not in it.
// It never changes and may be read by several goroutines. The zero Graph has no files.
type Graph struct {
	tree      *tree
	resolvers map[codeintel.Language]resolver
	imports   [][]unit  // of each file: in order, once each, not itself
	importers [][]int32 // of each unit: the files that import it, in order
}

// Direct returns the files that a file imports, sorted. A Go package is all its files.
func (g *Graph) Direct(path string) []string { return g.names(path, g.direct) }

// Importers returns the files that import a file, sorted.
func (g *Graph) Importers(path string) []string { return g.names(path, g.users) }

// Transitive returns the files that a file needs, itself left out, by imports of imports up to a depth: those of
// depth 1 are Direct. They come breadth first, sorted within each depth; each stands where it is reached first.
func (g *Graph) Transitive(path string, depth int) []string { return g.walk(path, depth, g.direct) }

// Downstream returns the files that need a file, as Transitive does the other way: those of depth 1 are Importers.
func (g *Graph) Downstream(path string, depth int) []string { return g.walk(path, depth, g.users) }

// step returns the files one edge away from a file, in any order and maybe twice. The list is the caller's.
type step func(file int32) []int32

func (g *Graph) names(path string, next step) []string {
	start, known := g.start(path)
	if !known {
		return nil
	}
	files := next(start)
	slices.Sort(files)
	var names []string
	for i, file := range files {
		if file != start && (i == 0 || file != files[i-1]) {
			names = append(names, g.tree.files[file].Path)
		}
	}
	return names
}

// start returns the place of a file.
func (g *Graph) start(path string) (int32, bool) {
	if g.tree == nil {
		return 0, false
	}
	u, known := g.tree.id[path]
	return int32(u), known
}

func (g *Graph) walk(path string, depth int, next step) []string {
	start, known := g.start(path)
	if !known {
		return nil
	}
	seen := map[int32]bool{start: true}
	var names []string
	for level := []int32{start}; depth > 0 && len(level) > 0; depth-- {
		level = beyond(level, seen, next)
		for _, file := range level {
			names = append(names, g.tree.files[file].Path)
		}
	}
	return names
}

// beyond returns the files one step from any of a level that were not seen before, in order.
func beyond(level []int32, seen map[int32]bool, next step) []int32 {
	var found []int32
	for _, file := range level {
		for _, other := range next(file) {
			if !seen[other] {
				seen[other] = true
				found = append(found, other)
			}
		}
	}
	slices.Sort(found)
	return found
}

func (g *Graph) direct(file int32) []int32 {
	var files []int32
	for _, u := range g.imports[file] {
		files = g.tree.appendFiles(files, u)
	}
	return files
}

func (g *Graph) users(file int32) []int32 {
	users := slices.Clone(g.importers[file])
	for _, group := range g.tree.groupsOf[file] {
		users = append(users, g.importers[group]...)
	}
	return users
}

// without returns an ordered list without an element. The list stays as it is.
func without(list []int32, element int32) []int32 {
	at, found := slices.BinarySearch(list, element)
	if !found {
		return list
	}
	return slices.Concat(list[:at], list[at+1:])
}

// including returns an ordered list with an element. The list stays as it is.
func including(list []int32, element int32) []int32 {
	at, found := slices.BinarySearch(list, element)
	if found {
		return list
	}
	return slices.Concat(list[:at], []int32{element}, list[at:])
}

// Find returns the files that one import of a file leads to, sorted; the file itself may be among them. The file need not import it
// as the graph knows it.
func (g *Graph) Find(path string, need codeintel.Import) []string {
	start, known := g.start(path)
	if !known {
		return nil
	}
	from := &g.tree.files[start]
	r := g.resolvers[from.Language]
	if r == nil {
		return nil
	}
	var files []int32
	for _, u := range r.resolve(nil, from, need) {
		files = g.tree.appendFiles(files, u)
	}
	slices.Sort(files)
	var names []string
	for _, file := range slices.Compact(files) {
		names = append(names, g.tree.files[file].Path)
	}
	return names
}
