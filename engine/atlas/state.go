package atlas

import (
	"context"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
)

// state is what was derived from the index and from git, so far.
type state struct {
	graph   *imports.Graph // nil until the first one is made
	graphOf index.View     // the view it was made of
	commits []codeintel.Commit
	head    string // the commit they begin at
	past    int    // how often the history was read
	closed  bool
}

func (a *Atlas) now() state {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// change changes the state, and wakes who waits for a change.
func (a *Atlas) change(edit func(s *state)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	edit(&a.state)
	close(a.moved)
	a.moved = make(chan struct{})
}
