package atlas

import (
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
