package atlas

import (
	"context"
	"errors"
	"fmt"

	"forge/codeintel"
	"forge/codeintel/index"
)

// Wait waits until all reported changes, and all files on disk, are read: words, symbols, imports and history. The
// error is the reason why the folder could not be read, ctx's, or ErrClosed.
func (a *Atlas) Wait(ctx context.Context) error {
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.life, cancel)()
	err := errors.Join(a.disk.now(until), a.view.now(until))
	if err == nil {
		_, _, err = a.remade(until, until)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case a.now().closed:
		return ErrClosed
	case err != nil:
		return fmt.Errorf("read the folder: %w", err)
	}
	return nil
}

// followDisk lists the files again when that was requested, and when HEAD moved, as on a switch of branches. Then
// it reads the history again.
func (a *Atlas) followDisk(ctx context.Context) error {
	s := a.now()
	head := ""
	if a.repo != nil {
		head = a.repo.History.Head()
	}
	moved := head != s.head && s.past > 0
	var err error
	if moved || s.asked > s.listed {
		err = a.index.Refresh(ctx)
		a.change(func(now *state) { now.listed = s.asked })
		a.view.raise()
	}
	if moved || s.past == 0 {
		a.readHistory(ctx, head)
	}
	return err
}

// readHistory reads the commits before a head. If that fails, search does without.
func (a *Atlas) readHistory(ctx context.Context, head string) {
	var commits []codeintel.Commit
	if head != "" {
		commits, _ = a.repo.History.Commits(ctx, HistoryLimit)
	}
	if ctx.Err() == nil {
		a.change(func(s *state) { s.commits, s.head, s.past = commits, head, s.past+1 })
	}
}

// followView updates the graph to the newest view. It waits for the symbols of all files first: otherwise the graph
// would have to be rebuilt.
func (a *Atlas) followView(ctx context.Context) error {
	err := a.index.Wait(ctx)
	if ctx.Err() != nil || errors.Is(err, index.ErrClosed) {
		return err
	}
	view, s := a.index.View(), a.now()
	if view == s.graphOf {
		return err
	}
	graph := nextGraph(s.graph, s.graphOf, view, func(path string) ([]byte, error) { return a.index.View().ReadFile(path) })
	a.change(func(s *state) { s.graph, s.graphOf = graph, view })
	return err
}
