package atlas

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"forge/codeintel"
	"forge/codeintel/index"
)

// follower keeps something up to date: in the background after raise, and at once for callers that cannot wait.
type follower struct {
	wake    chan struct{} // holds a token when there may be something to do
	turn    chan struct{} // full while a call catches up; unlike a mutex it may be held over I/O
	catchUp func(ctx context.Context) error
	pause   time.Duration // minimum time between two background updates
}

func newFollower(catchUp func(ctx context.Context) error, pause time.Duration) follower {
	return follower{wake: make(chan struct{}, 1), turn: make(chan struct{}, 1), catchUp: catchUp, pause: pause}
}

// raise reports that there may be work. Several calls before the next update are one.
func (f follower) raise() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run catches up once, and again when raise was called, until ctx ends.
func (f follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = f.now(ctx) // a failure is retried the next time
		f.rest(ctx)
		select {
		case <-f.wake:
		case <-ctx.Done():
		}
	}
}

func (f follower) rest(ctx context.Context) {
	rested := time.NewTimer(f.pause)
	defer rested.Stop()
	select {
	case <-rested.C:
	case <-ctx.Done():
	}
}

// now catches up, after any call that does so already.
func (f follower) now(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.turn }()
	return f.catchUp(ctx)
}

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

// Cover replaces a file, existing or not, by the user's unsaved text, until Uncover. path is relative to the root, slash-separated.
func (a *Atlas) Cover(path, text string) {
	a.index.Cover(path, text)
	a.view.raise()
}

// Uncover reverses Cover.
func (a *Atlas) Uncover(path string) {
	a.index.Uncover(path)
	a.view.raise()
}

// Changed reports that files or whole folders on disk were created, changed or removed; without paths, that any file
// may have changed. Paths are relative to the root, slash-separated.
//
// A known file is read at once. For other files a new list of all files decides whether they belong to the folder.
// One list serves all of them, because a build may write thousands of ignored files.
func (a *Atlas) Changed(paths ...string) {
	known, list := a.sort(paths)
	if len(known) > 0 {
		a.index.Changed(known...)
		a.view.raise()
	}
	if list {
		a.change(func(s *state) { s.asked++ })
	}
	a.disk.raise()
}

// sort returns the paths of known files, and reports whether the others require a new list of files.
func (a *Atlas) sort(paths []string) (known []string, list bool) {
	documents := a.index.View().Documents()
	for _, name := range paths {
		_, found := slices.BinarySearchFunc(documents, name, func(d index.Document, name string) int { return strings.Compare(d.Path, name) })
		switch {
		case name == ".git" || strings.HasPrefix(name, ".git/"): // HEAD is checked anyway
		case found && path.Base(name) != ".gitignore":
			known = append(known, name)
		default:
			list = true
		}
	}
	return known, list || len(paths) == 0
}
