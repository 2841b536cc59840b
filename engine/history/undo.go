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

// ErrNothingToUndo says that there is no run whose changes could be taken back.
var ErrNothingToUndo = errors.New("nothing to undo")

// ErrNothingToRedo says that there is no undo that could be taken back.
var ErrNothingToRedo = errors.New("nothing to redo")

// undoPrefix begins the run id of a proposal that undoes; the rest is the id of the run it undoes.
const undoPrefix = "undo."

// Undo returns a proposal that reverts every accepted change of a run in the folder; without an id, of the
// last run that was not undone. The id may also be a checkpoint. Text that the user typed since is kept;
// what cannot be separated from it is a conflict of the proposal. An undo can be undone by its own id. The
// error matches ErrNothingToUndo when there is no such run, or all of it was undone already.
func (l *Ledger) Undo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	return l.reverse(ctx, root, reversal{id: id, pick: undoable, title: "Undo: ", none: ErrNothingToUndo})
}

// Redo returns a proposal that takes back an undo: the newest that was not taken back; or the one with the
// id, the newest of the run with the id, or the one with the checkpoint. Everything else is as with Undo; a redo is
// undone like a run, by Undo. The error matches ErrNothingToRedo when there is no such undo.
func (l *Ledger) Redo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	return l.reverse(ctx, root, reversal{id: id, pick: redoable, title: "Redo: ", none: ErrNothingToRedo})
}

// reversal says what is to be taken back.
type reversal struct {
	id    string
	pick  func(entries []shadow.Entry, id string) (run string, err error)
	title string
	none  error // what there is to say when nothing is
}

func (l *Ledger) reverse(ctx context.Context, root string, what reversal) (*proposal.Proposal, error) {
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	trusted, err := l.state.Trusted(root)
	if err != nil {
		return nil, err
	}
	if !trusted { // before that nothing is started in it, git neither
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

// proposal takes back a run, given all entries that concern it, newest first, with their texts.
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
		return nil, fmt.Errorf("%w: all of %s was taken back already", what.none, run)
	}
	for strings.HasPrefix(title, "Undo: ") || strings.HasPrefix(title, "Redo: ") {
		title = title[len("Undo: "):]
	}
	everywhere := func(string) bool { return true }
	p := proposal.New(id, undoPrefix+run, what.title+title, back, nil, everywhere)
	p.AskedWhole()
	return p, nil
}
