package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"forge/engine/atlas"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// atlases opens the atlas of each folder once. It owns the goroutines that open them; close waits for those.
type atlases struct {
	open     func(ctx context.Context, root string) (*atlas.Atlas, error)
	notify   func(text string)
	patience patience
	ctx      context.Context //nolint:containedctx // the lifetime of all openings

	mu     sync.Mutex // guards the fields below
	byRoot map[string]*opening
	closed bool
	wait   sync.WaitGroup
}

// opening is an atlas that is being opened, or is open.
type opening struct {
	began time.Time
	done  chan struct{} // closed when the opening has ended
	atlas *atlas.Atlas  // valid after done
	err   error         // valid after done
}

// patience is how long a run waits for the index of its folder; after that it works with what is known.
type patience struct {
	first time.Duration // since the index was opened: the first reading of a large folder takes that long
	later time.Duration // at least, for files that changed since
	quiet time.Duration // until the user is notified of the wait
}

var defaultPatience = patience{first: time.Minute, later: 5 * time.Second, quiet: 3 * time.Second}

// Atlas returns the atlas of a folder, trusted or not: one for each root, open until Close. It returns as soon as the
// folder can be searched; its files are read in the background.
func (e *Engine) Atlas(ctx context.Context, root string) (*atlas.Atlas, error) {
	return e.atlases.of(ctx, root)
}

// openAtlas opens the atlas of a folder. Without git it walks the folder.
func (e *Engine) openAtlas(ctx context.Context, root string) (*atlas.Atlas, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	e.state.Enter(root)
	if err := e.Recover(ctx, root); err != nil { // the folder can be searched all the same
		e.state.Notify(err.Error())
	}
	repo, err := e.state.Repo(ctx, root)
	if missing := new(sandbox.NotStartedError); errors.As(err, &missing) {
		repo, err = nil, nil
	}
	if err != nil {
		return nil, e.state.Explain(err)
	}
	return atlas.Open(ctx, atlas.Options{
		Root: root, StateDir: e.state.Dir(), Repo: repo,
		Outliner: e.options.Outliner, OutlinerVersion: e.options.OutlinerVersion,
		Blank: e.secrets.Blank,
	})
}

// of returns the atlas of a folder as soon as it is open.
func (a *atlases) of(ctx context.Context, root string) (*atlas.Atlas, error) {
	o, err := a.begin(root)
	if err != nil {
		return nil, err
	}
	select {
	case <-o.done:
		return o.atlas, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin finds or starts the opening of an atlas. It continues if its caller gives up.
func (a *atlases) begin(root string) (*opening, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, state.ErrClosed
	}
	if o, ok := a.byRoot[root]; ok {
		return o, nil
	}
	o := &opening{began: time.Now(), done: make(chan struct{})}
	if a.byRoot == nil {
		a.byRoot = map[string]*opening{}
	}
	a.byRoot[root] = o
	a.wait.Go(func() {
		defer close(o.done)
		defer func() {
			if fault := recover(); fault != nil {
				failpoint.ReportBug("panic in the index of %s: %v\n%s", root, fault, debug.Stack())
				o.err = errors.New("this folder cannot be searched: internal error, see Forge's log")
			}
			if o.err != nil {
				a.forget(root) // the next caller retries
			}
		}()
		o.atlas, o.err = a.open(a.ctx, root)
	})
	return o, nil
}

func (a *atlases) forget(root string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byRoot, root)
}

// close closes all atlases, after those that are being opened. a.ctx must have ended.
func (a *atlases) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.wait.Wait()
	for _, o := range a.byRoot {
		_ = o.atlas.Close() // the next process reads again what could not be written
	}
}

var errBeingOpened = errors.New("the index of the folder is still being opened")

// patient returns the atlas of a folder, if possible once all of the disk is read. complete reports whether it is.
func (a *atlases) patient(ctx context.Context, root string) (known *atlas.Atlas, complete bool, err error) {
	o, err := a.begin(root)
	if err != nil {
		return nil, false, err
	}
	wait := max(a.patience.later, a.patience.first-time.Since(o.began))
	until, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer a.notifyOfWait(wait)()
	if known, err = a.of(until, root); err == nil {
		err = known.Wait(until)
	}
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case known == nil && errors.Is(err, context.DeadlineExceeded):
		return nil, false, errBeingOpened
	case errors.Is(err, context.DeadlineExceeded):
		return known, false, nil
	case err != nil:
		return nil, false, err
	}
	return known, true, nil
}

// notifyOfWait notifies the user after a while that a run waits for the index, until the returned function is called.
func (a *atlases) notifyOfWait(longest time.Duration) (stop func()) {
	timer := time.AfterFunc(a.patience.quiet, func() {
		a.notify(fmt.Sprintf("the run waits for the index of the folder, %s at most", longest.Round(time.Second)))
	})
	return func() { timer.Stop() }
}
