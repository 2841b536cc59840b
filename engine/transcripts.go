package engine

import (
	"context"
	"fmt"

	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/state"
	"forge/engine/step"
)

// transcripts are what stored runs asked models, what these answered, and what the runs proposed.
type transcripts struct {
	history *history.History
	state   *state.State
	host    *execution.Host
	secrets execution.Secrets
}

// Offered returns the proposal of a run that has ended, and its folder. It repeats nothing of the run. The error matches ErrNoRun
// if the run does not exist, and ErrNothingOffered if it made no proposal or has not ended.
func (t transcripts) Offered(ctx context.Context, id string) (*proposal.Proposal, string, error) {
	p, _, kept, err := t.history.Locate(ctx, id)
	if err != nil {
		return nil, "", err
	}
	offered, err := t.host.Offered(p, kept)
	return offered, kept.Folder, err
}

// Sent returns what a node of a run asked models in one of its attempts, in order, including repairs. A journal has the hashes of
// requests and not their texts: replaying the run's code composes them again, and requests with another hash are omitted. It
// performs and keeps nothing.
//
// The error matches ErrNoRun, ErrOtherVersion or ErrNotSent.
func (t transcripts) Sent(ctx context.Context, id, node string, attempt int) ([]execution.Preview, error) {
	j, err := t.journal(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := j.replayable(); err != nil {
		return nil, err
	}
	return t.host.Sent(ctx, j.project, j.run, j.steps, step.Place{Node: node, Attempt: attempt})
}

// journal is the journal of a stored run.
type journal struct {
	project *state.Project
	run     flow.Run
	steps   []flow.Step
}

// journal reads the journal of a run. The error matches ErrNoRun if the run does not exist.
func (t transcripts) journal(ctx context.Context, id string) (journal, error) {
	p, store, run, err := t.history.Locate(ctx, id)
	if err != nil {
		return journal{}, err
	}
	steps, err := store.Steps(ctx, id)
	return journal{p, run, steps}, t.state.Explain(err)
}

// replayable returns an error if another version of Forge began the run.
func (j journal) replayable() error {
	if j.run.Kind != execution.KindOfRun {
		return fmt.Errorf("run %s: %w, so its requests cannot be composed again", j.run.ID, execution.ErrOtherVersion)
	}
	return nil
}

// Exchanges lists the calls of models that a run has begun, with their answers, without secrets. The error matches ErrNoRun.
func (t transcripts) Exchanges(ctx context.Context, id string) ([]step.Exchange, error) {
	j, err := t.journal(ctx, id)
	if err != nil {
		return nil, err
	}
	if level, err := t.state.TrustLevel(j.run.Folder); err == nil && level >= state.Read {
		t.secrets.Learn(j.run.Folder)
	}
	all := step.ExchangesOf(j.steps)
	for i, x := range all {
		all[i] = x.WithoutSecrets(t.secrets.Plain)
	}
	return all, nil
}

// Asked returns the request of a call of a run, by the number of its exchange. The error matches ErrNoRun, ErrOtherVersion or ErrNotSent.
func (t transcripts) Asked(ctx context.Context, id string, number int) (execution.Preview, error) {
	j, err := t.journal(ctx, id)
	if err != nil {
		return execution.Preview{}, err
	}
	if err := j.replayable(); err != nil {
		return execution.Preview{}, err
	}
	all := step.ExchangesOf(j.steps)
	if number < 1 || number > len(all) {
		return execution.Preview{}, fmt.Errorf("run %s, call %d: %w", id, number, execution.ErrNotSent)
	}
	return t.host.SentIn(ctx, j.project, j.run, j.steps, all[number-1])
}
