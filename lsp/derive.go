package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	return dv.reverse(ctx, a, reversal{review.Edits.Undo, history.ErrNothingToUndo})
}

// redo answers forge.redo: it makes a proposal that reverts an undo.
func (dv *deriver) redo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return dv.reverse(ctx, a, reversal{review.Edits.Redo, history.ErrNothingToRedo})
}

// reversal computes the proposal that reverts a run, a checkpoint or an undo.
type reversal struct {
	propose func(e review.Edits, ctx context.Context, root, id string) (*proposal.Proposal, error)
	none    error // what its error matches if a folder has nothing of that kind
}

// reverse makes a proposal and shows it, unless it is only to be returned. Of several folders, the first one that has the change is meant.
func (dv *deriver) reverse(ctx context.Context, a *api.UndoArgs, way reversal) (api.Proposal, error) {
	if dv.edits == nil {
		return api.Proposal{}, editor.ErrNoEngine
	}
	folders, err := dv.foldersToUndo(a)
	if err != nil {
		return api.Proposal{}, err
	}
	for _, folder := range folders {
		var p *proposal.Proposal
		if p, err = dv.takenBack(ctx, folder, a.RunID, way); err == nil {
			return dv.reviewer.Offer(review.NewReview(folder, p), a.DryRun), nil
		}
		if !errors.Is(err, way.none) {
			return api.Proposal{}, err
		}
	}
	reason := strings.TrimPrefix(err.Error(), way.none.Error()+": ")
	return api.Proposal{}, fmt.Errorf("there is %w in %s: %s", way.none, editor.FolderList(folders), reason)
}

// takenBack returns the proposal that reverts a change of one folder.
func (dv *deriver) takenBack(ctx context.Context, folder editor.Folder, id string, way reversal) (*proposal.Proposal, error) {
	if err := dv.reviewer.Idle(ctx, folder); err != nil { // what an application under way did is not in the ledger yet
		return nil, err
	}
	return way.propose(dv.edits, ctx, folder.Path, id)
}

// foldersToUndo returns where a change to undo may be: the folder that is named, that of a run of this session (without an id,
// the last one), or for the id of an earlier session all open folders; else the only folder.
func (dv *deriver) foldersToUndo(a *api.UndoArgs) ([]editor.Folder, error) {
	if a.Folder == "" {
		if r, err := dv.runs.Find(a.RunID); err == nil {
			return []editor.Folder{r.Folder}, nil
		}
		if open := editor.OnDisk(dv.folders.Current()); a.RunID != "" && len(open) > 0 {
			return open, nil
		}
	}
	folder, err := dv.folders.Choose(a.Folder)
	return []editor.Folder{folder}, err
}
