package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/patch"
)

// ErrNothingToUndo says that there is no run whose changes could be taken back.
var ErrNothingToUndo = errors.New("nothing to undo")

// undoPrefix begins the run id of a proposal that undoes; the rest is the id of the run it undoes.
const undoPrefix = "undo."

// Record writes into the ledger what a person accepted of a proposal: the files before and after,
// verified by the front. It returns the checkpoint.
func (e *Engine) Record(ctx context.Context, root string, p *proposal.Proposal, accepted patch.ChangeSet) (string, error) {
	repo, err := e.repo(ctx, root)
	if err != nil {
		return "", err
	}
	id, err := repo.Record(ctx, e.entry(p, accepted))
	if err != nil {
		return "", fmt.Errorf("record what was accepted of %s: %w", p.RunID, err)
	}
	return id, nil
}

// entry is what was accepted of a proposal just now, as the ledger has it.
func (e *Engine) entry(p *proposal.Proposal, accepted patch.ChangeSet) shadow.Entry {
	entry := shadow.Entry{RunID: p.RunID, Title: p.Title, Time: e.options.Now(), Changes: accepted}
	if undone, is := strings.CutPrefix(p.RunID, undoPrefix); is {
		entry.Undoes = undone
	}
	return entry
}

// Undo returns a proposal that takes back what a run changed in the folder, all of it that was accepted
// at any time; without an id, the last run that was not undone. The id may also be a checkpoint. What
// the person typed since is kept; what cannot be told apart is a conflict of the proposal. An undo can be
// undone by its own id. The error matches ErrNothingToUndo when there is no such run.
func (e *Engine) Undo(ctx context.Context, root, id string) (*proposal.Proposal, error) {
	if err := e.Recover(ctx, root); err != nil {
		return nil, err
	}
	trusted, err := e.Trusted(root)
	if err != nil {
		return nil, err
	}
	if !trusted { // before that nothing is started in it, git neither
		return nil, fmt.Errorf("%w: %s is not trusted, so no run has changed a file in it", ErrNothingToUndo, root)
	}
	repo, err := e.opened(ctx, root)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Entries(ctx)
	if err != nil {
		return nil, err
	}
	run, err := undoable(entries, id)
	if err != nil {
		return nil, err
	}
	var changes []patch.ChangeSet // newest first
	title := ""
	for _, entry := range entries {
		if entry.RunID != run {
			continue
		}
		if entry, err = repo.Entry(ctx, entry.ID); err != nil {
			return nil, err
		}
		changes, title = append(changes, entry.Changes), entry.Title
	}
	everywhere := func(string) bool { return true }
	return proposal.New("p-"+newID(), undoPrefix+run, "Undo: "+title, takeBack(changes), nil, everywhere), nil
}

// undoable picks the run to undo from the ledger, newest first.
func undoable(entries []shadow.Entry, id string) (run string, err error) {
	undone := map[string]bool{}
	for _, entry := range entries {
		if id != "" && (entry.ID == id || entry.RunID == id) {
			return entry.RunID, nil
		}
		if undone[entry.RunID] {
			continue
		}
		if id == "" && entry.Undoes == "" {
			return entry.RunID, nil
		}
		undone[entry.Undoes] = true
	}
	if id != "" {
		return "", fmt.Errorf("%w: no run or checkpoint %q has changed a file in this folder", ErrNothingToUndo, id)
	}
	return "", fmt.Errorf("%w: no run has changed a file in this folder", ErrNothingToUndo)
}

// takeBack is the change set that undoes several, given newest first. Where the person typed between
// two of them, that stays: each is taken out of the latest text by a three-way merge.
func takeBack(changes []patch.ChangeSet) patch.ChangeSet {
	latest := map[string]patch.FileChange{} // the undoing change so far, by the path it starts from
	for _, set := range changes {
		for _, back := range set.Inverse().Files {
			from := start(back)
			if known, again := latest[from]; again {
				back = onto(known, back)
			}
			latest[from] = back
		}
	}
	var all patch.ChangeSet
	for _, change := range latest {
		if change.Before != change.After || change.Kind != patch.Update {
			all.Files = append(all.Files, change)
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// start is the path of the text a change is computed on.
func start(c patch.FileChange) string {
	if c.Kind == patch.Move {
		return c.From
	}
	return c.Path
}

// onto extends the undoing of a later change by that of an earlier one of the same file.
func onto(later, earlier patch.FileChange) patch.FileChange {
	if later.Kind != patch.Update {
		return later
	}
	merged, _ := patch.Merge(earlier.Before, later.After, earlier.After)
	later.After = merged
	if earlier.Kind == patch.Delete && later.After == "" {
		later.Kind = patch.Delete
	}
	return later
}
