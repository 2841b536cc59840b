package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/pipeline"
	"forge/engine/state"
	"forge/internal/failpoint"
)

// ErrOtherVersion says that another version of Forge began the run, which this one cannot play again.
var ErrOtherVersion = errors.New("another version of Forge began the run, and this one takes other steps")

// Resume takes up a run where an earlier life of it was cut off or paused. Nothing that has finished is done
// again: no model is asked what it has answered, no person neither. A run that had failed, was blocked or
// cancelled is tried again from where it was; one that had succeeded offers its proposal again.
//
// Limits that are not zero are those of the run from now on; Duration is that of this life.
//
// The error matches ErrNoRun, ErrWorkedOn or ErrOtherVersion when there is nothing to take up. Every failure
// after that is an event of the run. Followers begin after Run.Resumed events.
func (e *Engine) Resume(ctx context.Context, id string, asker ask.Asker, raised Limits) (*Run, error) {
	p, store, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	e.suites.stop(id)
	l, before, err := e.laterLife(p, kept)
	if err != nil {
		return nil, err
	}
	l.asker, l.raised = asker, raised
	l.params.Duration = Limits{Duration: raised.Duration}.or(l.params.limits()).Duration
	if kept.State == flow.Done {
		return l.run, e.begin(l.run, func(ctx context.Context) { l.offerAgain(ctx, before) })
	}
	if err := forgetFailures(ctx, store, kept, before); err != nil {
		return nil, err
	}
	if l.lease, err = store.Claim(ctx, id); err != nil {
		return nil, refused(e.state, err)
	}
	failpoint.Hit(FailpointResuming)
	if err := e.begin(l.run, l.whole); err != nil {
		return nil, errors.Join(err, l.lease.Release(ctx))
	}
	return l.run, nil
}

// laterLife prepares a life of a run that has had one, and tells what the last one came to, if it ended.
func (e *Engine) laterLife(p *state.Project, kept flow.Run) (*life, outcome, error) {
	before, err := outcomeOf(kept.Result)
	if err != nil {
		return nil, before, err
	}
	if kept.Kind != kindOfRun {
		return nil, before, fmt.Errorf("resume run %s: %w: it cannot go on where it was. What it did is still told; to have it done, start it anew with the same task: %s",
			kept.ID, ErrOtherVersion, kept.Title)
	}
	l, err := e.lifeOf(p, kept)
	if err != nil {
		return nil, before, err
	}
	l.again = &event.RunResumed{MoreAttempts: before.Retry.UsedUp}
	for _, place := range before.Retry.Stuck {
		l.again.Stuck = append(l.again.Stuck, event.Attempt{Node: place.Node, Number: place.Attempt})
	}
	for _, place := range before.Retry.Judge {
		l.again.Judge = append(l.again.Judge, event.Attempt{Node: place.Node, Number: place.Attempt})
	}
	return l, before, nil
}

// lifeOf is a life of a run that has had one: with what it was to do, and what it has told.
func (e *Engine) lifeOf(p *state.Project, kept flow.Run) (*life, error) {
	l := &life{engine: e, project: p}
	if err := json.Unmarshal(kept.Input, &l.params); err != nil {
		return nil, fmt.Errorf("read what run %s was to do: %w", kept.ID, err)
	}
	told, err := history.ReadEvents(p.EventsFile(kept.ID))
	if err != nil {
		return nil, err
	}
	l.run = &Run{
		ID: kept.ID, Task: l.params.Task, Root: l.params.Root, Resumed: len(told),
		Log: event.Restore(kept.ID, e.options.Now, told),
	}
	l.run.Log.Guard(e.secrets.document)
	return l, nil
}

// forgetFailures lets what made the run stop be tried again.
func forgetFailures(ctx context.Context, store *flow.Store, kept flow.Run, before outcome) error {
	if kept.State != flow.Failed {
		return nil
	}
	for _, place := range before.Retry.Stuck {
		if _, err := store.Forget(ctx, kept.ID, place.Node, place.Attempt); err != nil {
			return fmt.Errorf("try run %s again: %w", kept.ID, err)
		}
	}
	return nil
}

// offerAgain offers the proposal of a run that has succeeded.
func (l *life) offerAgain(ctx context.Context, o outcome) {
	written := l.writeEvents(ctx)
	l.run.Log.Append(*l.again)
	result := o.result()
	if o.Review != nil && l.params.reads() {
		l.run.Log.Append(event.ReviewOf(pipeline.ReviewName, 1, *o.Review))
	}
	if o.Answer != "" {
		l.tell(event.AnswerReady{Text: o.Answer})
	}
	if o.offers() {
		if result.Proposal, result.Suite = l.propose(o), l.suite(o); result.Suite != nil {
			result.Suite.Wanted = false // an earlier life has offered it, and its tests may have been run
		}
	}
	l.run.Log.Append(event.RunEnded{State: result.State, Reason: result.Reason})
	written()
	l.run.settle(result)
}

// refused says why a run cannot be claimed, in the words of this package.
func refused(s *state.State, err error) error {
	switch {
	case errors.Is(err, flow.ErrHeld):
		return fmt.Errorf("%w: %w", ErrWorkedOn, err)
	case errors.Is(err, flow.ErrNoRun):
		return fmt.Errorf("%w: %w", ErrNoRun, err)
	}
	return s.Explain(err)
}
