package atlas

import (
	"context"

	"forge/codeintel"
)

// signal tells one goroutine that there may be something to do. Raising it twice before it is heard is raising it once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// follow calls catchUp once, and again whenever the signal was raised, until ctx ends.
func follow(ctx context.Context, s signal, catchUp func(ctx context.Context)) {
	for {
		catchUp(ctx)
		select {
		case <-s:
		case <-ctx.Done():
			return
		}
	}
}

// followView brings the graph up to the newest view. It waits for the symbols of all files: a graph of some would
// have to be made again.
func (a *Atlas) followView(context.Context) {
	view := a.index.View()
	s := a.now()
	if view == s.graphOf || !view.Complete() {
		return
	}
	graph := nextGraph(s.graph, s.graphOf, view, func(path string) ([]byte, error) { return a.index.View().ReadFile(path) })
	a.change(func(s *state) { s.graph, s.graphOf = graph, view })
}

// followHead reads the history when HEAD moved, and has the folder looked through again: that is how a branch is
// switched.
func (a *Atlas) followHead(ctx context.Context) {
	s := a.now()
	head := ""
	if a.repo != nil {
		head = a.repo.Head()
	}
	if s.pastRead && head == s.head {
		return
	}
	if s.pastRead {
		a.index.Changed()
	}
	var commits []codeintel.Commit
	if head != "" {
		commits, _ = a.repo.History(ctx, HistoryLimit) // search does without
	}
	if ctx.Err() != nil {
		return
	}
	a.change(func(s *state) { s.commits, s.head, s.pastRead = commits, head, true })
}
