package engine

import (
	"context"
	"fmt"

	"forge/engine/execution"
	"forge/engine/step"
)

// Sent returns what a node of a run asked models in one of its attempts, in order, including repairs. A journal has the hashes of
// requests and not their texts: replaying the run's code composes them again, and requests with another hash are omitted. It
// performs and keeps nothing.
//
// The error matches ErrNoRun, ErrOtherVersion or ErrNotSent.
func (e *Engine) Sent(ctx context.Context, id, node string, attempt int) ([]execution.Preview, error) {
	p, store, kept, err := e.Locate(ctx, id)
	if err != nil {
		return nil, err
	}
	if kept.Kind != execution.KindOfRun {
		return nil, fmt.Errorf("run %s: %w, so its requests cannot be composed again", id, execution.ErrOtherVersion)
	}
	steps, err := store.Steps(ctx, id)
	if err != nil {
		return nil, e.state.Explain(err)
	}
	return e.host.Sent(ctx, p, kept, steps, step.Place{Node: node, Attempt: attempt})
}
