package lsp

import (
	"context"
	"errors"
	"fmt"

	"forge/api"
	"forge/engine"
	"forge/engine/proposal"
)

// undo answers forge.undo: it makes a proposal that takes a run back, and shows it like any other.
func (f *front) undo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return f.reverse(ctx, a, func(ctx context.Context, e Engine, folder Folder) (*proposal.Proposal, error) {
		p, err := e.Undo(ctx, folder.Path, a.RunID)
		if errors.Is(err, engine.ErrNothingToUndo) {
			err = fmt.Errorf("there is nothing to undo in %s: no run has changed a file there", folder.URI)
		}
		return p, err
	})
}

// redo answers forge.redo: it makes a proposal that takes an undo back.
func (f *front) redo(ctx context.Context, a *api.UndoArgs) (api.Proposal, error) {
	return f.reverse(ctx, a, func(ctx context.Context, e Engine, folder Folder) (*proposal.Proposal, error) {
		p, err := e.Redo(ctx, folder.Path, a.RunID)
		if errors.Is(err, engine.ErrNothingToRedo) {
			err = fmt.Errorf("there is nothing to redo in %s: no undo stands there", folder.URI)
		}
		return p, err
	})
}

// reverse makes a proposal and shows it, unless it is only to be returned.
func (f *front) reverse(ctx context.Context, a *api.UndoArgs, propose func(context.Context, Engine, Folder) (*proposal.Proposal, error)) (api.Proposal, error) {
	if f.server.options.Engine == nil {
		return api.Proposal{}, errNoEngine
	}
	select { // behind an application that is under way: what it did is not in the ledger yet
	case f.turn <- struct{}{}:
		<-f.turn
	case <-ctx.Done():
		return api.Proposal{}, ctx.Err()
	}
	folder, err := f.folderToUndo(a.RunID)
	if err != nil {
		return api.Proposal{}, err
	}
	if err := f.server.options.Engine.RecoverSeen(ctx, f.freeze(folder)); err != nil {
		return api.Proposal{}, err
	}
	p, err := propose(ctx, f.server.options.Engine, folder)
	if err != nil {
		return api.Proposal{}, err
	}
	r := newReview(folder, p)
	f.reviews.add(r)
	if !a.DryRun {
		f.offer(r.id)
	}
	return f.wireProposal(r), nil
}

// folderToUndo is the folder of the run, of the last run, or else the only one: a run of an earlier
// session can be undone too.
func (f *front) folderToUndo(runID string) (Folder, error) {
	if r, err := f.runs.find(runID); err == nil {
		return r.folder, nil
	}
	return chooseFolder(f.server.session.currentFolders(), "", "")
}
