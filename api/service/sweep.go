package service

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/api"
	"forge/engine"
	"forge/engine/execution"
	"forge/engine/workspace"
	"forge/patch"
	"forge/patch/match"
)

// Sweeper computes changes of a whole folder without a model, and writes nothing.
type Sweeper interface {
	Sweep(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage) (engine.Swept, error)
}

// Swept is a change of a whole folder, and its title.
type Swept struct {
	engine.Swept
	Title string
}

// Rename is the part of forge.rename that shows no proposal.
func Rename(ctx context.Context, e Sweeper, in Folder, a *api.RenameArgs) (Swept, error) {
	return sweep(ctx, e, in, "rename", fmt.Sprintf("Rename %s to %s", a.Symbol, a.To), map[string]any{
		"symbol": a.Symbol, "to": a.To, "path": a.Path, "line": a.Line, "scope": a.Scope, "everywhere": a.Everywhere,
	})
}

// Replace is the part of forge.replace that shows no proposal.
func Replace(ctx context.Context, e Sweeper, in Folder, a *api.ReplaceArgs) (Swept, error) {
	return sweep(ctx, e, in, "replace_all", fmt.Sprintf("Replace %s by %s", a.Find, a.Replace), map[string]any{
		"find": a.Find, "replace": a.Replace, "paths": a.Paths, "word": a.Word, "regexp": a.Regexp, "variants": a.Variants,
	})
}

func sweep(ctx context.Context, e Sweeper, in Folder, name, title string, args map[string]any) (Swept, error) {
	given, err := json.Marshal(args)
	if err != nil {
		return Swept{}, fmt.Errorf("write down what is asked: %w", err)
	}
	found, err := e.Sweep(ctx, in.Snapshot(), name, given)
	return Swept{Swept: found, Title: title}, err
}

// Prompts composes what models are sent, and asks none.
type Prompts interface {
	// Preview composes what a node of a run would ask a model first, in a run that has written some tests before.
	Preview(ctx context.Context, r engine.Request, node string, tests patch.ChangeSet) (execution.Preview, error)
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
	shown, err := e.Preview(ctx, r, node, changes)
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
