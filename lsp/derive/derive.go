// Package derive makes proposals that no model writes: undo, redo, rename and replace. The reviewer shows them like any other.
package derive

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

// Deriver answers the commands. It owns nothing, and hands what it makes to the reviewer.
type Deriver struct {
	Edits    review.Edits
	Sweeper  service.Sweeper
	Folders  *editor.Folders
	Runs     *editor.Runs
	Reviewer *review.Reviewer
}

// Commands are those of the deriver.
func (dv *Deriver) Commands() editor.Commands {
	return editor.Commands{
		api.Undo: editor.Handler(dv.undo), api.Redo: editor.Handler(dv.redo), api.Rename: editor.Handler(dv.rename), api.Replace: editor.Handler(dv.replace),
	}
}

// undo answers forge.undo: it makes a proposal that takes a run back, and shows it like any other.
func (dv *Deriver) undo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	if !a.DryRun {
		dv.Reviewer.StopSuite(a.RunID)
	}
	return dv.reverse(ctx, a, review.Edits.Undo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToUndo) {
			return fmt.Errorf("there is nothing to undo in %s: no run has changed a file there", folder.URI)
		}
		return err
	})
}

// redo answers forge.redo: it makes a proposal that takes an undo back.
func (dv *Deriver) redo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return dv.reverse(ctx, a, review.Edits.Redo, func(folder editor.Folder, err error) error {
		if errors.Is(err, history.ErrNothingToRedo) {
			return fmt.Errorf("there is nothing to redo in %s: no undo stands there", folder.URI)
		}
		return err
	})
}

// reversal computes what takes back a run, a checkpoint or an undo.
type reversal func(e review.Edits, ctx context.Context, root, id string) (*proposal.Proposal, error)

// reverse makes a proposal and shows it, unless it is only to be returned.
func (dv *Deriver) reverse(ctx context.Context, a *api.UndoArgs, propose reversal, explain func(editor.Folder, error) error) (api.Proposal, error) {
	if dv.Edits == nil {
		return api.Proposal{}, editor.ErrNoEngine
	}
	if err := dv.Reviewer.Idle(ctx); err != nil { // what an application under way did is not in the ledger yet
		return api.Proposal{}, err
	}
	folder, err := dv.folderToUndo(a.RunID)
	if err != nil {
		return api.Proposal{}, err
	}
	if err := dv.Edits.RecoverSeen(ctx, dv.Folders.Freeze(folder)); err != nil {
		return api.Proposal{}, err
	}
	p, err := propose(dv.Edits, ctx, folder.Path, a.RunID)
	if err != nil {
		return api.Proposal{}, explain(folder, err)
	}
	return dv.Reviewer.Offer(review.NewReview(folder, p), a.DryRun), nil
}

// folderToUndo is the folder of the run, of the last run, or else the only one: a run of an earlier
// session can be undone too.
func (dv *Deriver) folderToUndo(runID string) (editor.Folder, error) {
	if r, err := dv.Runs.Find(runID); err == nil {
		return r.Folder, nil
	}
	return dv.Folders.Choose("")
}
