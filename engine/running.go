package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/history"
)

// Events returns the events of a run after the one numbered since, of any process and however long ago. The error matches ErrNoRun when
// there is none.
func (e *Engine) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	if run := e.active.Working(id); run != nil {
		return run.Log.Since(since), nil
	}
	return e.History.Events(ctx, id, since)
}

// Follow yields the events of a run after the one numbered since as they come, in whatever process they happen, until no process works on
// the run any more or ctx ends. An error is the last value; it matches ErrNoRun when there is no such run.
func (e *Engine) Follow(ctx context.Context, id string, since int) iter.Seq2[event.Event, error] {
	run := e.active.Working(id)
	if run == nil {
		return e.History.Follow(ctx, id, since)
	}
	return func(yield func(event.Event, error) bool) {
		for ev := range run.Log.Follow(ctx, since) {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

// AwaitQuiet waits until no process works on a run any more, and returns how it stands then.
func (e *Engine) AwaitQuiet(ctx context.Context, id string) (history.Run, error) {
	if run := e.active.Working(id); run != nil {
		_, _ = run.Wait(ctx) // what is kept of it says how it ended
	}
	return e.History.AwaitQuiet(ctx, id)
}

// Pause asks a run to stop for now, in whatever process it is worked on; it is quiet within two seconds. Resume
// takes it up again. The error matches ErrNoRun, or says that the run has ended.
func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestPause, (*execution.Run).Pause)
}

// Kill asks a run to stop for good, in whatever process it is worked on; it is quiet within two seconds. The error
// matches ErrNoRun, or says that the run has ended.
func (e *Engine) Kill(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestCancel, (*execution.Run).Cancel)
}

func (e *Engine) request(ctx context.Context, id string, q flow.Request, here func(*execution.Run)) error {
	if run := e.active.Working(id); run != nil {
		here(run)
		return nil
	}
	_, store, _, err := e.Locate(ctx, id)
	if err != nil {
		return err
	}
	err = store.Request(ctx, id, q)
	if errors.Is(err, flow.ErrEnded) {
		return fmt.Errorf("run %s has ended", id)
	}
	if kept, found := store.Run(ctx, id); err == nil && found == nil && kept.State == flow.Cancelled { // no process worked on it
		e.Abandon(ctx, id)
		execution.AbandonTask(ctx, e.state, kept.Folder, id)
	}
	return e.state.Explain(err)
}

// begin works on a run in a goroutine of the engine.
func (e *Engine) begin(run *execution.Run, work func(ctx context.Context)) error {
	return e.active.Begin(e.ctx, run, func(ctx context.Context) {
		e.state.Enter(run.Root)
		work(ctx)
	})
}
