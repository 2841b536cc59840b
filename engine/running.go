package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/history"
)

// code is what history has to know of how this package plays runs.
var code = history.Code{Kind: kindOfRun, Summarize: summarizeOlder, Snapshot: snapshotOf}

// summarizeOlder is the summary of a run that has none, made of its events and its result.
func summarizeOlder(r flow.Run, events []event.Event) (history.Summary, error) {
	s := history.Summarize(wayOf(r), events).Summary
	if len(r.Result) == 0 {
		return s, nil
	}
	o, err := outcomeOf(r.Result)
	return o.summary(s), err
}

// wayOf is how a run works; of one whose input this version cannot read it is empty.
func wayOf(r flow.Run) event.Way {
	var p params
	if r.Kind != kindOfRun || json.Unmarshal(r.Input, &p) != nil {
		return event.Way{}
	}
	return p.way()
}

// snapshotOf is the snapshot that was taken for a run.
func snapshotOf(steps []flow.Step) (string, error) {
	for _, s := range steps {
		var taken snapshotTaken
		if s.Do == activitySnapshot.Name && s.Output != nil {
			err := json.Unmarshal(s.Output, &taken)
			return taken.Base, err
		}
	}
	return "", nil
}

// reviewOf is what the reviewer of a run said last; nil where there was no review.
func reviewOf(result json.RawMessage) (*gate.Report, error) {
	o, err := outcomeOf(result)
	return o.Review, err
}

// summary adds to the summary of a run how it ended.
func (o outcome) summary(s history.Summary) history.Summary {
	s.State, s.Files, s.Unverified = o.State, len(o.Changes.Files), o.Unverified
	s.Tokens, s.Cached, s.Cost = o.Tokens, o.Cached, o.Cost
	s.Waiting, s.Batch = false, ""
	return s
}

// summarize keeps a summary with the run.
func (l *life) summarize(ctx context.Context, s history.Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("summarize run %s: %w", l.run.ID, err)
	}
	return l.lease.Summarize(context.WithoutCancel(ctx), l.engine.secrets.document(text))
}

// Events returns the events of a run after the one numbered since, of any process and however long ago. The error matches ErrNoRun when
// there is none.
func (e *Engine) Events(ctx context.Context, id string, since int) ([]event.Event, error) {
	if run := e.active.working(id); run != nil {
		return run.Log.Since(since), nil
	}
	return e.History.Events(ctx, id, since)
}

// Follow yields the events of a run after the one numbered since as they come, in whatever process they happen, until no process works on
// the run any more or ctx ends. An error is the last value; it matches ErrNoRun when there is no such run.
func (e *Engine) Follow(ctx context.Context, id string, since int) iter.Seq2[event.Event, error] {
	run := e.active.working(id)
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
func (e *Engine) AwaitQuiet(ctx context.Context, id string) (RunInfo, error) {
	if run := e.active.working(id); run != nil {
		_, _ = run.Wait(ctx) // what is kept of it says how it ended
	}
	return e.History.AwaitQuiet(ctx, id)
}

// Pause asks a run to stop for now, in whatever process it is worked on; it is quiet within two seconds. Resume
// takes it up again. The error matches ErrNoRun, or says that the run has ended.
func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestPause, (*Run).Pause)
}

// Kill asks a run to stop for good, in whatever process it is worked on; it is quiet within two seconds. The error
// matches ErrNoRun, or says that the run has ended.
func (e *Engine) Kill(ctx context.Context, id string) error {
	return e.request(ctx, id, flow.RequestCancel, (*Run).Cancel)
}

func (e *Engine) request(ctx context.Context, id string, q flow.Request, here func(*Run)) error {
	if run := e.active.working(id); run != nil {
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
		abandonTask(ctx, e.state, kept.Folder, id)
	}
	return e.state.Explain(err)
}
