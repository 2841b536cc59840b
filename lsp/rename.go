package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/api"
	"forge/engine"
)

// rename answers forge.rename.
func (f *front) rename(ctx context.Context, a *api.RenameArgs) (api.SweepResult, error) {
	return f.sweep(ctx, "rename", fmt.Sprintf("Rename %s to %s", a.Symbol, a.To), a.Folder, a.DryRun, map[string]any{
		"symbol": a.Symbol, "to": a.To, "path": a.Path, "line": a.Line, "scope": a.Scope, "everywhere": a.Everywhere,
	})
}

// replace answers forge.replace.
func (f *front) replace(ctx context.Context, a *api.ReplaceArgs) (api.SweepResult, error) {
	return f.sweep(ctx, "replace_all", fmt.Sprintf("Replace %s by %s", a.Find, a.Replace), a.Folder, a.DryRun, map[string]any{
		"find": a.Find, "replace": a.Replace, "paths": a.Paths, "word": a.Word, "regexp": a.Regexp, "variants": a.Variants,
	})
}

// sweep makes a proposal of a change of the whole folder and shows it, unless it is only to be returned.
func (f *front) sweep(ctx context.Context, name, title, in string, dry bool, args map[string]any) (api.SweepResult, error) {
	folder, err := f.checkable(&api.FolderArgs{InFolder: api.InFolder{Folder: in}})
	if err != nil {
		return api.SweepResult{}, err
	}
	given, err := json.Marshal(args)
	if err != nil {
		return api.SweepResult{}, fmt.Errorf("write down what is asked: %w", err)
	}
	snapshot := f.freeze(folder)
	if err := f.server.options.Engine.RecoverSeen(ctx, snapshot); err != nil {
		return api.SweepResult{}, err
	}
	found, err := f.server.options.Engine.Sweep(ctx, snapshot, name, given)
	if err != nil || found.Refused {
		return api.SweepResult{Text: found.Text, Refused: found.Refused}, err
	}
	r := newReview(folder, engine.Propose(title, found.Change))
	f.reviews.add(r)
	if !dry {
		f.offer(r.id)
	}
	shown := f.wireProposal(r)
	return api.SweepResult{Text: found.Text, Proposal: &shown}, nil
}
