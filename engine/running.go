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
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
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

// Kill asks the process that works on a run, this one or another, to cancel it, which takes up to two seconds. The
// error matches ErrNoRun, or means that the run has ended.
func (e *Engine) Kill(ctx context.Context, id string) error {
	if run := e.active.Working(id); run != nil {
		run.Cancel()
		return nil
	}
	_, store, _, err := e.Locate(ctx, id)
	if err != nil {
		return err
	}
	err = store.Cancel(ctx, id)
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

// Resume continues a run where an earlier execution of it was interrupted. It repeats nothing that has
// finished: no model call and no question. A run that was failed, blocked or cancelled is retried from that
// point; a successful one offers its proposal again.
//
// Limits that are not zero replace those of the run; Duration is that of this execution.
//
// The error matches ErrNoRun, ErrWorkedOn or ErrOtherVersion if the run cannot be resumed. Every later failure is
// an event of the run. Followers begin after Run.Resumed events.
func (e *Engine) Resume(ctx context.Context, id string, asker event.Asker, raised execution.Limits) (*execution.Run, error) {
	p, store, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	e.suites.Stop(id)
	l, err := e.host.Resume(ctx, p, store, kept, asker, raised)
	if err != nil {
		return nil, err
	}
	if err := e.begin(l.Run, l.Continue); err != nil {
		return nil, errors.Join(err, l.Release(ctx))
	}
	return l.Run, nil
}

// ErrUntrusted means that no file of a folder is read for a prompt, because the user has not trusted it.
var ErrUntrusted = errors.New("the folder is not trusted, so nothing in it is read for a prompt: a run asks for your trust")

// Preview returns what a node would first ask a model if the run started now, byte for byte, composed as in a run. It asks no
// model, executes nothing of the folder and keeps nothing. The folder must be trusted to be read, at least: a run asks for that before it reads
// anything.
func (e *Engine) Preview(ctx context.Context, r Request, node string, tests patch.ChangeSet) (execution.Preview, error) {
	set := e.settings(ctx, r.Snapshot.Root)
	r, err := r.redacted(e.secrets).settled(set)
	if err != nil {
		return execution.Preview{}, err
	}
	level, err := e.state.TrustLevel(r.Snapshot.Root)
	if err != nil {
		return execution.Preview{}, err
	}
	if level < state.Read {
		return execution.Preview{}, fmt.Errorf("%s: %w", r.Snapshot.Root, ErrUntrusted)
	}
	if err := workspace.CheckRoot(r.Snapshot.Root); err != nil {
		return execution.Preview{}, err
	}
	return e.host.Preview(ctx, paramsOf(r, set), node, tests)
}
