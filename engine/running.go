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

// Events returns the events of a run after number since, also of another process or an old run. The error matches ErrNoRun if the
// run does not exist.
func (e *Engine) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	if run := e.active.Working(id); run != nil {
		return run.Log.Since(since), nil
	}
	return e.History.Events(ctx, id, since)
}

// Follow yields the events of a run after number since as they happen, in any process, until no process works on the run or ctx
// ends. An error is the last value; it matches ErrNoRun if the run does not exist.
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

// AwaitQuiet waits until no process works on a run, and returns its state.
func (e *Engine) AwaitQuiet(ctx context.Context, id string) (history.Run, error) {
	if run := e.active.Working(id); run != nil {
		_, _ = run.Wait(ctx) // its record shows how it ended
	}
	return e.History.AwaitQuiet(ctx, id)
}

// Pause asks the process that works on a run, this one or another, to pause it, which takes up to two seconds.
// Resume continues the run. The error matches ErrNoRun, or means that the run has ended.
func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestPause, (*execution.Run).Pause)
}

// Kill asks the process that works on a run, this one or another, to cancel it, which takes up to two seconds. The
// error matches ErrNoRun, or means that the run has ended.
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
