package atlas

import (
	"slices"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
)

// fewChanges is the largest number of changed files for which a graph is updated file by file; above it, a new graph is as fast.
const fewChanges = 16

// nextGraph updates a graph from one view to the next. It returns the same graph if nothing that it depends on changed.
func nextGraph(graph *imports.Graph, before, after index.View, read func(path string) ([]byte, error)) *imports.Graph {
	if graph == nil {
		return imports.Resolve(filesOf(after), read)
	}
	changed, whole := importsChanged(before.Documents(), after.Documents())
	if whole || len(changed) > fewChanges {
		return imports.Resolve(filesOf(after), read)
	}
	for _, file := range changed {
		graph = graph.With(file)
	}
	return graph
}

func filesOf(view index.View) []imports.File {
	documents := view.Documents()
	files := make([]imports.File, len(documents))
	for i := range documents {
		files[i] = fileOf(&documents[i])
	}
	return files
}

func fileOf(d *index.Document) imports.File { return imports.FileOf(d.Path, d.Language, d.Outline) }

// importsChanged returns the files whose imports differ. whole is true if more depends on the change than these
// files: files were added or removed, or a configuration changed.
func importsChanged(before, after []index.Document) (changed []imports.File, whole bool) {
	if len(before) != len(after) {
		return nil, true
	}
	for i := range after {
		was, is := &before[i], &after[i]
		switch {
		case was.Path != is.Path, was.Hash != is.Hash && imports.IsConfiguration(is.Path):
			return nil, true
		case was.Outline == is.Outline:
		case !sameImports(fileOf(was), fileOf(is)):
			changed = append(changed, fileOf(is))
		}
	}
	return changed, false
}

// sameImports compares the imports in two states of a file; their positions do not matter.
func sameImports(a, b imports.File) bool {
	return a.Package == b.Package && slices.EqualFunc(a.Imports, b.Imports, func(a, b codeintel.Import) bool {
		return a.Path == b.Path && slices.Equal(a.Names, b.Names)
	})
}
