package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/patch"
)

// ErrNothingToUndo says that no run of the folder has changed a file.
var ErrNothingToUndo = errors.New("nothing to undo: no run has changed a file in this folder")

// undoPrefix begins the run id of a proposal that undoes; the rest is the id of what it undoes.
const undoPrefix = "undo."

// Record writes into the ledger what a person accepted of a proposal: the files before and after,
// verified by the front. It returns the checkpoint, which Undo takes.
func (e *Engine) Record(ctx context.Context, root string, p *proposal.Proposal, accepted patch.ChangeSet) (string, error) {
	repo, err := e.repo(ctx, root)
	if err != nil {
		return "", err
	}
	undone, _ := strings.CutPrefix(p.RunID, undoPrefix)
	if undone == p.RunID {
		undone = ""
	}
	id, err := repo.Record(ctx, shadow.Entry{RunID: p.RunID, Title: p.Title, Time: e.options.Now(), Undoes: undone, Changes: accepted})
	if err != nil {
		return "", fmt.Errorf("record what was accepted of %s: %w", p.RunID, err)
	}
	return id, nil
}

// Undo returns a proposal that takes back what a run or checkpoint changed in the folder; without an id,
// the last one that was not undone yet. What the person typed since is kept; what cannot be told apart
// is a conflict of the proposal.
func (e *Engine) Undo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	repo, err := e.repo(ctx, root)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Entries(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	entry, err := undoable(entries, id)
	if err != nil {
		return nil, err
	}
	everywhere := func(string) bool { return true }
	return proposal.New("p-"+newID(), undoPrefix+entry.ID, "Undo: "+entry.Title, entry.Changes.Inverse(), nil, everywhere), nil
}

// undoable picks the entry to undo from the ledger, newest first.
func undoable(entries []shadow.Entry, id string) (shadow.Entry, error) {
	undone := map[string]bool{}
	for _, entry := range entries {
		switch {
		case id != "" && (entry.ID == id || entry.RunID == id):
			return entry, nil
		case id == "" && entry.Undoes == "" && !undone[entry.ID]:
			return entry, nil
		}
		undone[entry.Undoes] = true
	}
	if id != "" {
		return shadow.Entry{}, fmt.Errorf("nothing to undo: no run or checkpoint %q has changed a file in this folder", id)
	}
	return shadow.Entry{}, ErrNothingToUndo
}
