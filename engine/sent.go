package engine

import (
	"context"
	"fmt"

	"forge/engine/execution"
	"forge/engine/step"
)

// Sent reports what a node of a run has asked models in one of its attempts, in order, repairs of answers included. A journal has
// the hashes of requests and not their texts: the code of the run is played again from it, which composes them once more, and
// what has another hash is not given. Nothing is done and nothing is kept.
//
// The error matches ErrNoRun, ErrOtherVersion or ErrNotSent.
func (e *Engine) Sent(ctx context.Context, id, node string, attempt int) ([]execution.Preview, error) {
	p, store, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	if kept.Kind != execution.KindOfRun {
		return nil, fmt.Errorf("run %s: %w, so that it cannot compose what was sent", id, execution.ErrOtherVersion)
	}
	steps, err := store.Steps(ctx, id)
	if err != nil {
		return nil, e.state.Explain(err)
	}
	return e.host.Sent(ctx, p, kept, steps, step.Place{Node: node, Attempt: attempt})
}
