package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/patch"
)

// ErrNothingToUndo means that no run has changes to undo.
var ErrNothingToUndo = errors.New("nothing to undo")

// ErrNothingToRedo means that there is no undo to redo.
var ErrNothingToRedo = errors.New("nothing to redo")

// undoPrefix begins the run id of a proposal that undoes; the rest is the id of the undone run.
const undoPrefix = "undo."

// Undo returns a proposal that reverts every accepted change of a run in the folder; without an id, of the
// last run that was not undone. The id may also be a checkpoint. It keeps text that the user typed since;
// text that cannot be separated is a conflict of the proposal. An undo can be undone by its own id. The
// error matches ErrNothingToUndo if the run does not exist, or is already undone.
func (l *Ledger) Undo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	return l.reverse(ctx, root, reversal{id: id, pick: undoable, title: "Undo: ", none: ErrNothingToUndo})
}

// Redo returns a proposal that reverts an undo: the newest one in effect; or the one with the id, the newest of the
// run with the id, or the one with the checkpoint. Otherwise it is like Undo; a redo is undone like a run, by Undo.
// The error matches ErrNothingToRedo if there is no such undo.
func (l *Ledger) Redo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	return l.reverse(ctx, root, reversal{id: id, pick: redoable, title: "Redo: ", none: ErrNothingToRedo})
}

// reversal is what to undo.
type reversal struct {
	id    string
	pick  func(entries []shadow.Entry, id string) (run string, err error)
	title string
	none  error // the error if there is nothing to undo
}

func (l *Ledger) reverse(ctx context.Context, root string, what reversal) (*proposal.Proposal, error) {
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	trusted, err := l.state.Trusted(root)
	if err != nil {
		return nil, err
	}
	if !trusted { // before that no process is started in it, not even git
		return nil, fmt.Errorf("%w: %s is not trusted, so no run has changed a file in it", what.none, root)
	}
	repo, err := l.state.Repo(ctx, root)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Ledger.Entries(ctx)
	if err != nil {
		return nil, err
	}
	run, err := what.pick(entries, what.id)
	if err != nil {
		return nil, err
	}
	concerned := concerning(entries, run)
	for i := range concerned {
		if concerned[i], err = repo.Ledger.Entry(ctx, concerned[i].ID); err != nil {
			return nil, err
		}
	}
	return what.proposal("p-"+state.NewID(), run, concerned)
}

// proposal undoes a run, given all related entries, newest first, with their texts.
func (what reversal) proposal(id, run string, entries []shadow.Entry) (*proposal.Proposal, error) {
	var changes []patch.ChangeSet
	title := ""
	for _, entry := range entries {
		changes = append(changes, entry.Changes)
		if entry.RunID == run {
			title = entry.Title
		}
	}
	back := takeBack(changes)
	if len(back.Files) == 0 {
		return nil, fmt.Errorf("%w: all of %s is already undone", what.none, run)
	}
	for strings.HasPrefix(title, "Undo: ") || strings.HasPrefix(title, "Redo: ") {
		title = title[len("Undo: "):]
	}
	everywhere := func(string) bool { return true }
	p := proposal.New(id, undoPrefix+run, what.title+title, back, nil, everywhere)
	p.AskedWhole()
	return p, nil
}
