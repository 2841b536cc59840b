package atlas

import (
	"slices"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
)

// state is what was derived from the index and from git so far.
type state struct {
	graph   *imports.Graph // nil until the first one is made
	graphOf index.View     // the view it was built from
	commits []codeintel.Commit
	head    string // the newest of these commits; empty if there is none
	past    int    // how often the history was read
	asked   int    // how often a list of files was requested
	listed  int    // the value of asked at the last list
	closed  bool
}

// read reports whether everything has been derived once.
func (s state) read() bool { return s.graph != nil && s.past > 0 }

func (a *Atlas) now() state {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

func (a *Atlas) change(edit func(s *state)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	edit(&a.state)
}

// Status reports how much of a folder is known.
type Status struct {
	Indexed  int  // files that can be found
	Total    int  // files to index, as far as is known
	Complete bool // the first reading of words, symbols, imports and history is finished
	Skipped  []Skipped
	Notes    []string // for users: recovered faults, such as a damaged index that was rebuilt
}

// Skipped is a file that is not in the index.
type Skipped struct {
	Path   string
	Reason string // for users
}

// Status reports how much of the folder has been read.
func (a *Atlas) Status() Status {
	now := a.index.Status()
	status := Status{Indexed: now.Indexed, Total: now.Total, Complete: now.Complete && a.now().read(), Notes: now.Notes}
	for _, s := range now.Skipped {
		status.Skipped = append(status.Skipped, Skipped{s.Path, string(s.Reason)})
	}
	return status
}

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
