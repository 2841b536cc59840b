package derive

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/workspace"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// rename answers forge.rename.
func (dv *Deriver) rename(ctx context.Context, a *api.RenameArgs) (api.SweepResult, error) {
	return dv.sweep(ctx, a.InFolder, a.DryRun, func(in service.Folder) (service.Swept, error) { return service.Rename(ctx, dv.Sweeper, in, a) })
}

// replace answers forge.replace.
func (dv *Deriver) replace(ctx context.Context, a *api.ReplaceArgs) (api.SweepResult, error) {
	return dv.sweep(ctx, a.InFolder, a.DryRun, func(in service.Folder) (service.Swept, error) { return service.Replace(ctx, dv.Sweeper, in, a) })
}

// sweep makes a proposal of a change of the whole folder and shows it, unless it is only to be returned.
func (dv *Deriver) sweep(ctx context.Context, where api.InFolder, only bool, do func(in service.Folder) (service.Swept, error)) (api.SweepResult, error) {
	if dv.Sweeper == nil || dv.Edits == nil {
		return api.SweepResult{}, editor.ErrNoEngine
	}
	folder, err := dv.Folders.Choose(where.Folder)
	if err != nil {
		return api.SweepResult{}, err
	}
	snapshot := dv.Folders.Freeze(folder)
	if err := dv.Edits.RecoverSeen(ctx, snapshot); err != nil {
		return api.SweepResult{}, err
	}
	in := dv.Folders.Served(folder)
	in.Texts = func() workspace.Snapshot { return snapshot }
	found, err := do(in)
	if err != nil || found.Refused {
		return api.SweepResult{Text: found.Text, Refused: found.Refused}, err
	}
	shown := dv.Reviewer.Offer(review.NewReview(folder, engine.Propose(found.Title, found.Change)), only)
	return api.SweepResult{Text: found.Text, Proposal: &shown}, nil
}
