package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/pipeline/judge"
	"forge/engine/proposal"
	"forge/engine/state"
	"forge/engine/step"
	"forge/internal/failpoint"
)

// ErrOtherVersion means that another version of Forge started the run, and that this one cannot replay it.
var ErrOtherVersion = errors.New("another version of Forge began the run, and this one takes other steps")

// forgetFailures removes the journaled steps at which a failed run was stuck, so that they are performed again.
func forgetFailures(ctx context.Context, store *flow.Store, kept flow.Run, before Outcome) error {
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
func (l *Execution) offerAgain(ctx context.Context, o Outcome) {
	written := l.writeEvents(ctx)
	l.Run.Log.Append(*l.resumed)
	result := o.ended()
	if o.Review != nil && l.params.reads() {
		l.Run.Log.Append(event.ReviewOf(judge.ReviewName, 1, *o.Review))
	}
	if o.Answer != "" {
		l.emit(event.AnswerReady{Text: o.Answer})
	}
	if o.offers() {
		if result.Proposal, result.Suite = l.propose(o), l.suite(o); result.Suite != nil {
			result.Suite.Wanted = false // an earlier execution has offered it, and its tests may have been run
		}
	}
	l.Run.Log.Append(l.Run.ended(result))
	written()
	l.Run.settle(result)
}

// laterExecution prepares an execution of a run that has had one, and returns the outcome of the last one, if it ended.
func (h *Host) laterExecution(p *state.Project, kept flow.Run) (*Execution, Outcome, error) {
	before, err := outcomeOf(kept.Result)
	if err != nil {
		return nil, before, err
	}
	if kept.Kind != KindOfRun {
		return nil, before, fmt.Errorf("resume run %s: %w: it cannot continue where it was. Its log is still shown; to repeat the work, start a run with the same task: %s",
			kept.ID, ErrOtherVersion, kept.Title)
	}
	l, err := h.executionOf(p, kept)
	if err != nil {
		return nil, before, err
	}
	l.resumed = &event.RunResumed{MoreAttempts: before.Retry.UsedUp, Stuck: attemptsAt(before.Retry.Stuck), Judge: attemptsAt(before.Retry.Judge)}
	return l, before, nil
}

// ParamsOf returns the parameters of a run. It also reads those of other versions of Forge: they cannot be replayed, but a new run can use
// them.
func ParamsOf(kept flow.Run) (p Params, err error) {
	if err := json.Unmarshal(kept.Input, &p); err != nil {
		return p, fmt.Errorf("read what run %s was to do: %w", kept.ID, err)
	}
	return p, nil
}

// attemptsAt are places as events have them.
func attemptsAt(places []step.Place) (all []event.Attempt) {
	for _, place := range places {
		all = append(all, event.Attempt{Node: place.Node, Number: place.Attempt})
	}
	return all
}

// executionOf is an execution of a run that has had one: with its task, and its events.
func (h *Host) executionOf(p *state.Project, kept flow.Run) (*Execution, error) {
	l := &Execution{host: h, project: p}
	var err error
	if l.params, err = ParamsOf(kept); err != nil {
		return nil, err
	}
	l.params.Flags.NonInteractive = false // it was about the command that began the run
	told, err := state.ReadEvents(p.EventsFile(kept.ID))
	if err != nil {
		return nil, err
	}
	l.Run = &Run{
		ID: kept.ID, Task: l.params.Task, Recipe: l.params.Recipe, Root: l.params.Root, Resumed: len(told),
		Log: event.Restore(kept.ID, h.Now, told),
	}
	l.Run.Log.Guard(h.Secrets.Document)
	return l, nil
}

// refused converts the error of a claim to one that matches ErrWorkedOn or ErrNoRun of package history.
func refused(s *state.State, err error) error {
	switch {
	case errors.Is(err, flow.ErrHeld):
		return fmt.Errorf("%w: %w", history.ErrWorkedOn, err)
	case errors.Is(err, flow.ErrNoRun):
		return fmt.Errorf("%w: %w", history.ErrNoRun, err)
	}
	return s.Explain(err)
}

// Resume prepares the next execution of a run, with raised limits; the steps at which the run was stuck are repeated. Until Release no
// other process can resume the run. A run that has succeeded is not claimed, because nothing in it is repeated.
func (h *Host) Resume(ctx context.Context, p *state.Project, store *flow.Store, kept flow.Run, asker event.Asker, raised Limits) (*Execution, error) {
	l, before, err := h.laterExecution(p, kept)
	if err != nil {
		return nil, err
	}
	l.asker, l.raised = asker, raised
	l.params.Duration = Limits{Duration: raised.Duration}.Or(l.params.limits()).Duration
	if kept.State == flow.Done {
		l.done = &before
		return l, nil
	}
	if err := forgetFailures(ctx, store, kept, before); err != nil {
		return nil, err
	}
	if l.lease, err = store.Claim(ctx, kept.ID); err != nil {
		return nil, refused(h.State, err)
	}
	failpoint.Hit(FailpointResuming)
	return l, nil
}

// Continue runs an execution that Resume has prepared. A run that has succeeded only offers its proposal again.
func (l *Execution) Continue(ctx context.Context) {
	if l.done != nil {
		l.offerAgain(ctx, *l.done)
		return
	}
	l.replay(ctx)
}

// Release lets others take the run up.
func (l *Execution) Release(ctx context.Context) error {
	if l.lease == nil {
		return nil
	}
	return l.lease.Release(ctx)
}

// Offered returns the proposal of an ended run. The error matches ErrNothingOffered if the run has no change or has not ended, and
// ErrOtherVersion if another version of Forge started it.
func (h *Host) Offered(p *state.Project, kept flow.Run) (*proposal.Proposal, error) {
	l, before, err := h.laterExecution(p, kept)
	if err != nil {
		return nil, err
	}
	if !before.offers() {
		if before.State == "" {
			return nil, fmt.Errorf("%w: run %s has not ended", ErrNothingOffered, kept.ID)
		}
		return nil, fmt.Errorf("%w: run %s is %s", ErrNothingOffered, kept.ID, before.State)
	}
	return l.params.proposal(kept.ID, before, l.Run.Log.Since(0)), nil
}

// ErrNothingOffered means that a run has no change to apply.
var ErrNothingOffered = errors.New("the run has no change to apply")
