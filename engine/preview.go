package engine

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/execution"
	"forge/engine/workspace"
	"forge/patch"
)

// ErrUntrusted says that nothing of a folder is read for a prompt because nobody has said that it is trusted.
var ErrUntrusted = errors.New("the folder is not trusted, so that nothing in it is read for a prompt: a run asks whether it is")

// Preview reports what a node would ask a model first if the run were started now, byte for byte, by the way that a run takes
// to it. No model is asked, nothing of the folder is executed and nothing is kept. The folder must be trusted: a run asks
// for that before it reads anything.
func (e *Engine) Preview(ctx context.Context, r Request, node string) (execution.Preview, error) {
	return e.PreviewAfter(ctx, r, node, patch.ChangeSet{})
}

// PreviewAfter is Preview of a run that has written these tests before.
func (e *Engine) PreviewAfter(ctx context.Context, r Request, node string, tests patch.ChangeSet) (execution.Preview, error) {
	set := e.settings(ctx, r.Snapshot.Root)
	r, err := r.redacted(e.secrets).settled(set)
	if err != nil {
		return execution.Preview{}, err
	}
	trusted, err := e.Trusted(r.Snapshot.Root)
	if err != nil {
		return execution.Preview{}, err
	}
	if !trusted {
		return execution.Preview{}, fmt.Errorf("%s: %w", r.Snapshot.Root, ErrUntrusted)
	}
	if err := workspace.CheckRoot(r.Snapshot.Root); err != nil {
		return execution.Preview{}, err
	}
	return e.host.Preview(ctx, paramsOf(r, set), node, tests)
}
