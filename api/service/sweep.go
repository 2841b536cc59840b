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

// Swept is a change of a whole folder with a title.
type Swept struct {
	engine.Swept
	Title string
}

// Rename computes the change of forge.rename; the front shows it.
func Rename(ctx context.Context, e Sweeper, in Folder, a *api.RenameArgs) (Swept, error) {
	return sweep(ctx, e, in, "rename", fmt.Sprintf("Rename %s to %s", a.Symbol, a.To), map[string]any{
		"symbol": a.Symbol, "to": a.To, "path": a.Path, "line": a.Line, "scope": a.Scope, "everywhere": a.Everywhere,
	})
}

// Replace computes the change of forge.replace; the front shows it.
func Replace(ctx context.Context, e Sweeper, in Folder, a *api.ReplaceArgs) (Swept, error) {
	return sweep(ctx, e, in, "replace_all", fmt.Sprintf("Replace %s by %s", a.Find, a.Replace), map[string]any{
		"find": a.Find, "replace": a.Replace, "paths": a.Paths, "word": a.Word, "regexp": a.Regexp, "variants": a.Variants,
	})
}

func sweep(ctx context.Context, e Sweeper, in Folder, name, title string, args map[string]any) (Swept, error) {
	given, err := json.Marshal(args)
	if err != nil {
		return Swept{}, fmt.Errorf("encode arguments: %w", err)
	}
	found, err := e.Sweep(ctx, in.Snapshot(), name, given)
	return Swept{Swept: found, Title: title}, err
}

// Prompts composes prompts without sending them.
type Prompts interface {
	// Preview composes the first prompt of a node in a run. tests are the tests that the run is assumed to have written before.
	Preview(ctx context.Context, r engine.Request, node string, tests patch.ChangeSet) (execution.Preview, error)
	// Sent composes again the prompts that a node of a run sent in one of its attempts.
	Sent(ctx context.Context, run, node string, attempt int) ([]execution.Preview, error)
}

// Prompt returns the first prompt of a node in a run. tests are the tests that the run is assumed to have written: a patch in any
// format that Forge parses, or empty. A patch that does not parse is an *InputError.
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

// UnfitError reports that a patch does not fit the folder.
type UnfitError struct{ Err error }

// Error returns the wrapped message.
func (e *UnfitError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *UnfitError) Unwrap() error { return e.Err }
