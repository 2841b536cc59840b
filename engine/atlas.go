package engine

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"forge/engine/atlas"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/internal/bug"
)

// opening is an atlas that somebody opens, or has opened.
type opening struct {
	began time.Time
	done  chan struct{} // closed when it is over
	atlas *atlas.Atlas  // valid after done
	err   error         // valid after done
}

// Atlas gives what is known about a folder, trusted or not: one for each root, open until Close. It returns as soon as
// the folder can be asked about; the files are read behind.
func (e *Engine) Atlas(ctx context.Context, root string) (*atlas.Atlas, error) {
	o, err := e.opening(root)
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

// opening finds or begins the opening of an atlas. It goes on when who asked for it has given up.
func (e *Engine) opening(root string) (*opening, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, state.ErrClosed
	}
	if o, ok := e.atlases[root]; ok {
		return o, nil
	}
	o := &opening{began: time.Now(), done: make(chan struct{})}
	e.atlases[root] = o
	e.runs.Go(func() {
		defer close(o.done)
		defer func() {
			if fault := recover(); fault != nil {
				bug.Reportf("panic in the index of %s: %v\n%s", root, fault, debug.Stack())
				o.err = errors.New("this folder cannot be searched: Forge met an error of its own, and its log has the details")
				e.forget(root)
			}
		}()
		if o.atlas, o.err = e.openAtlas(e.ctx, root); o.err != nil {
			e.forget(root) // the next one tries again
		}
	})
	return o, nil
}

func (e *Engine) forget(root string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.atlases, root)
}

func (e *Engine) openAtlas(ctx context.Context, root string) (*atlas.Atlas, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	e.state.Enter(root)
	if err := e.Recover(ctx, root); err != nil { // a folder can be searched all the same
		e.state.Notify(err.Error())
	}
	repo, err := e.state.Repo(ctx, root)
	if missing := new(sandbox.NotStartedError); errors.As(err, &missing) {
		repo, err = nil, nil // without git the folder is walked
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

// closeAtlases closes all atlases. Nothing is being opened any more.
func (e *Engine) closeAtlases() {
	for _, o := range e.atlases {
		_ = o.atlas.Close() // what it could not write is read anew
	}
}
