package service

import (
	"context"

	"forge/api"
	"forge/engine"
	"forge/engine/execution"
	"forge/patch"
	"forge/patch/match"
)

// Prompts composes what models are sent, and asks none.
type Prompts interface {
	// PreviewAfter composes what a node of a run would ask a model first, in a run that has written some tests before.
	PreviewAfter(ctx context.Context, r engine.Request, node string, tests patch.ChangeSet) (execution.Preview, error)
	// Sent composes again what a node of a run has asked models in one of its attempts.
	Sent(ctx context.Context, run, node string, attempt int) ([]execution.Preview, error)
}

// Prompt returns what a node of a run would ask a model first. tests are what the run is taken to have written before: a patch in any
// of the forms that Forge reads; empty is nothing. A patch that cannot be read is an *InputError.
func Prompt(ctx context.Context, e Prompts, r engine.Request, node, tests string) (api.PromptResult, error) {
	var changes patch.ChangeSet
	if tests != "" {
		parsed, _, err := patch.ParseAny(tests)
		if err != nil {
			return api.PromptResult{}, &InputError{err}
		}
		if changes, err = match.Resolve(parsed, r.Snapshot); err != nil {
			return api.PromptResult{}, &UnfitError{err}
		}
	}
	shown, err := e.PreviewAfter(ctx, r, node, changes)
	if err != nil {
		return api.PromptResult{}, err
	}
	return api.PromptOf(shown), nil
}

// UnfitError says that a patch does not fit the folder.
type UnfitError struct{ Err error }

// Error is the message of what does not fit.
func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns what does not fit.
func (e *UnfitError) Unwrap() error { return e.Err }
