package service

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/api"
	"forge/engine"
	"forge/engine/workspace"
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
