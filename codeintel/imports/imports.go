// Package imports finds out which file of a folder imports which: it resolves what files say they need, as the
// tools of each language do, with go.mod, tsconfig.json and their like.
package imports

import "forge/codeintel"

// File is a file with what it imports, as written.
type File struct {
	Path     string // relative to the root, slash-separated
	Language codeintel.Language
	Package  string
	Imports  []codeintel.Import
}

// Graph says which file imports which. Nothing imports itself; what lies outside of the folder is not in it.
type Graph struct {
	imports   map[string][]string // importer to imported, sorted
	importers map[string][]string // imported to importers, sorted
}

// Direct returns the files that a file imports, sorted. A Go package is all its files.
func (g *Graph) Direct(path string) []string { return g.imports[path] }

// Importers returns the files that import a file, sorted.
func (g *Graph) Importers(path string) []string { return g.importers[path] }
