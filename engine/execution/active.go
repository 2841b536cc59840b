package execution

import (
	"context"
	"sync"

	"forge/engine/state"
)

// Active are the runs that this engine works on, each in a goroutine. Its zero value has none.
type Active struct {
	mu     sync.Mutex // guards what follows
	byID   map[string]*Run
	closed bool
	wait   sync.WaitGroup
}

// Begin works on a run until work returns or ctx ends. The error is state.ErrClosed after close.
func (a *Active) Begin(ctx context.Context, run *Run, work func(ctx context.Context)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return state.ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	run.cancel, run.done = cancel, make(chan struct{})
	if a.byID == nil {
		a.byID = map[string]*Run{}
	}
	a.byID[run.ID] = run
	a.wait.Go(func() {
		defer cancel(nil)
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			delete(a.byID, run.ID)
		}()
		defer func() { run.survive(recover()) }()
		work(ctx)
	})
	return nil
}

// Working is a run that is worked on here, or nil. One that has settled is complete in the store, although its goroutine may not have ended
// yet.
func (a *Active) Working(id string) *Run {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run := a.byID[id]; run != nil && !run.settled() {
		return run
	}
	return nil
}

// Close lets no run begin any more, calls stop, and waits for those there are.
func (a *Active) Close(stop func()) {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	stop()
	a.wait.Wait()
}
