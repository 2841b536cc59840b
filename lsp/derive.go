package lsp

import (
	"context"
	"errors"
	"fmt"

	"forge/api"
	"forge/api/service"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// deriver makes proposals that no model writes: undo, redo, rename and replace. It owns nothing: the reviewer shows them like any other.
type deriver struct {
	edits    review.Edits
	sweeper  service.Sweeper
	folders  *editor.Folders
	runs     *editor.Runs
	reviewer *review.Reviewer
}

// commands returns the handlers of the deriver's commands.
func (dv *deriver) commands() editor.Commands {
	return editor.Commands{
		api.Undo: editor.Handler(dv.undo), api.Redo: editor.Handler(dv.redo), api.Rename: editor.Handler(dv.rename), api.Replace: editor.Handler(dv.replace),
	}
}

// undo answers forge.undo: it makes a proposal that reverts a run, and shows it like any other.
func (dv *deriver) undo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	if !a.DryRun {
		dv.reviewer.StopSuite(a.RunID)
	}
	return dv.reverse(ctx, a, review.Edits.Undo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToUndo) {
			return fmt.Errorf("there is nothing to undo in %s: no run has changed a file there", folder.URI)
		}
		return err
	})
}

// redo answers forge.redo: it makes a proposal that reverts an undo.
func (dv *deriver) redo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return dv.reverse(ctx, a, review.Edits.Redo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToRedo) {
			return fmt.Errorf("there is nothing to redo in %s: no undo was made there", folder.URI)
		}
		return err
	})
}

// reversal computes the proposal that reverts a run, a checkpoint or an undo.
type reversal func(e review.Edits, ctx context.Context, root, id string) (*proposal.Proposal, error)

// reverse makes a proposal and shows it, unless it is only to be returned.
func (dv *deriver) reverse(ctx context.Context, a *api.UndoArgs, propose reversal, explain func(editor.Folder, error) error) (api.Proposal, error) {
	if dv.edits == nil {
		return api.Proposal{}, editor.ErrNoEngine
	}
	if err := dv.reviewer.Idle(ctx); err != nil { // what an application under way did is not in the ledger yet
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
	return dv.reviewer.Offer(review.NewReview(folder, p), a.DryRun), nil
}

// folderToUndo is the folder of the run, of the last run, or else the only one: a run of an earlier
// session can be undone too.
func (dv *deriver) folderToUndo(runID string) (editor.Folder, error) {
	if r, err := dv.runs.Find(runID); err == nil {
		return r.Folder, nil
	}
	return dv.folders.Choose("")
}
