package imports

import (
	"slices"

	"forge/codeintel"
)

// DefaultDepth is how far Transitive and Downstream are asked to go by default: what a file
// imports, and what that imports.
const DefaultDepth = 2

// Graph says which file imports which. Nothing imports itself; what lies outside of the folder is not in it.
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
