package review

import (
	"context"
	"errors"
	"fmt"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/lsp/editor"
)

// deriver makes proposals that no model writes: undo, redo, rename and replace. It owns nothing, and hands what it makes to the reviewer.
type deriver struct {
	edits    Edits
	sweeper  service.Sweeper
	folders  *editor.Folders
	runs     *editor.Runs
	applier  *applier
	reviewer *Reviewer
}

func (dv *deriver) commands() editor.Commands {
	return editor.Commands{
		api.Undo: editor.Handler(dv.undo), api.Redo: editor.Handler(dv.redo), api.Rename: editor.Handler(dv.rename), api.Replace: editor.Handler(dv.replace),
	}
}

// undo answers forge.undo: it makes a proposal that takes a run back, and shows it like any other.
func (dv *deriver) undo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	if !a.DryRun {
		dv.reviewer.stopSuite(a.RunID)
	}
	return dv.reverse(ctx, a, Edits.Undo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToUndo) {
			return fmt.Errorf("there is nothing to undo in %s: no run has changed a file there", folder.URI)
		}
		return err
	})
}

// redo answers forge.redo: it makes a proposal that takes an undo back.
func (dv *deriver) redo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return dv.reverse(ctx, a, Edits.Redo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToRedo) {
			return fmt.Errorf("there is nothing to redo in %s: no undo stands there", folder.URI)
		}
		return err
	})
}

// reversal computes what takes back a run, a checkpoint or an undo.
type reversal func(e Edits, ctx context.Context, root, id string) (*proposal.Proposal, error)

// reverse makes a proposal and shows it, unless it is only to be returned.
func (dv *deriver) reverse(ctx context.Context, a *api.UndoArgs, propose reversal, explain func(editor.Folder, error) error) (api.Proposal, error) {
	if dv.edits == nil {
		return api.Proposal{}, editor.ErrNoEngine
	}
	if err := dv.applier.idle(ctx); err != nil { // what an application under way did is not in the ledger yet
		return api.Proposal{}, err
	}
	folder, err := dv.folderToUndo(a.RunID)
	if err != nil {
		return api.Proposal{}, err
	}
	if err := dv.edits.RecoverSeen(ctx, dv.folders.Freeze(folder)); err != nil {
		return api.Proposal{}, err
	}
	p, err := propose(dv.edits, ctx, folder.Path, a.RunID)
	if err != nil {
		return api.Proposal{}, explain(folder, err)
	}
	return dv.propose(NewReview(folder, p), a.DryRun), nil
}

// propose has a proposal shown, unless it is only to be returned.
func (dv *deriver) propose(r *Review, only bool) api.Proposal {
	dv.reviewer.reviews.add(r)
	if !only {
		dv.reviewer.offer(r.ID)
	}
	return dv.reviewer.wireProposal(r)
}

// folderToUndo is the folder of the run, of the last run, or else the only one: a run of an earlier
// session can be undone too.
func (dv *deriver) folderToUndo(runID string) (editor.Folder, error) {
	if r, err := dv.runs.Find(runID); err == nil {
		return r.Folder, nil
	}
	return dv.folders.Choose("")
}

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
	in := dv.folders.Served(folder)
	in.Texts = func() workspace.Snapshot { return snapshot }
	found, err := do(in)
	if err != nil || found.Refused {
		return api.SweepResult{Text: found.Text, Refused: found.Refused}, err
	}
	shown := dv.propose(NewReview(folder, engine.Propose(found.Title, found.Change)), only)
	return api.SweepResult{Text: found.Text, Proposal: &shown}, nil
}
