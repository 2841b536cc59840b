package lsp

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// rename answers forge.rename.
func (dv *deriver) rename(ctx context.Context, a *api.RenameArgs) (api.SweepResult, error) {
	return dv.sweep(ctx, a.InFolder, a.DryRun, func(in service.Folder) (service.Swept, error) { return service.Rename(ctx, dv.sweeper, in, a) })
}

// replace answers forge.replace.
func (dv *deriver) replace(ctx context.Context, a *api.ReplaceArgs) (api.SweepResult, error) {
	return dv.sweep(ctx, a.InFolder, a.DryRun, func(in service.Folder) (service.Swept, error) { return service.Replace(ctx, dv.sweeper, in, a) })
}

// sweep makes a proposal of a change of the whole folder and shows it, unless it is only to be returned.
func (dv *deriver) sweep(ctx context.Context, where api.InFolder, only bool, do func(in service.Folder) (service.Swept, error)) (api.SweepResult, error) {
	if dv.sweeper == nil || dv.edits == nil {
		return api.SweepResult{}, editor.ErrNoEngine
	}
	folder, err := dv.folders.Choose(where.Folder)
	if err != nil {
		return api.SweepResult{}, err
	}
	snapshot := dv.folders.Freeze(folder)
	if err := dv.edits.RecoverSeen(ctx, snapshot); err != nil {
		return api.SweepResult{}, err
	}
	found, err := do(dv.folders.ServedAt(folder, snapshot))
	if err != nil || found.Refused {
		return api.SweepResult{Text: found.Text, Refused: found.Refused}, err
	}
	shown := dv.reviewer.Offer(review.NewReview(folder, engine.Propose(found.Title, found.Change)), only)
	return api.SweepResult{Text: found.Text, Proposal: &shown}, nil
}
