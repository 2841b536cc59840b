package engine

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/execution"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

// ErrUntrusted means that no file of a folder is read for a prompt, because the user has not trusted it.
var ErrUntrusted = errors.New("the folder is not trusted, so nothing in it is read for a prompt: a run asks for your trust")

// Preview returns what a node would first ask a model if the run started now, byte for byte, composed as in a run. It asks no
// model, executes nothing of the folder and keeps nothing. The folder must be trusted to be read, at least: a run asks for that before it reads
// anything.
func (e *Engine) Preview(ctx context.Context, r Request, node string) (execution.Preview, error) {
	return e.PreviewAfter(ctx, r, node, patch.ChangeSet{})
}

// PreviewAfter is Preview for a run that has already written these tests.
func (e *Engine) PreviewAfter(ctx context.Context, r Request, node string, tests patch.ChangeSet) (execution.Preview, error) {
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
