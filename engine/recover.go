package engine

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/shadow"
	"forge/engine/workspace"
)

// Recover brings to an end what killed processes left half done in a folder: files that were being written
// are all old again, or all new and in the ledger. Whoever works in a folder calls it first; without anything
// to do it costs the reading of one folder of Forge's own. In a folder that is not trusted no process is
// started: what only has to be recorded waits. Options.Notice is told what happened.
func (e *Engine) Recover(ctx context.Context, root string) error {
	if err := workspace.CheckRoot(root); err != nil {
		return err
	}
	journal, err := workspace.JournalOf(e.options.StateDir, root)
	if err != nil {
		return err
	}
	notices, err := journal.Recover(ctx, root, func(ctx context.Context, r workspace.Recovered) error {
		return e.settle(ctx, root, r)
	})
	e.tell(notices)
	return err
}

// settle records a change that a killed process had made, or may have made, and not recorded. A change that
// an editor was asked for and never answered is recorded too: taking back what is not there does nothing,
// but what is not in the ledger cannot be taken back.
func (e *Engine) settle(ctx context.Context, root string, r workspace.Recovered) error {
	trusted, err := e.Trusted(root)
	if err != nil {
		return err
	}
	if !trusted {
		return workspace.ErrLater
	}
	entry, err := decodeAccepted(r.Payload)
	if err != nil {
		return err
	}
	repo, err := e.opened(ctx, root)
	if err != nil {
		return err
	}
	entries, err := repo.Entries(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(known shadow.Entry) bool { return sameEntry(known, entry) }) {
		return nil
	}
	if _, err := repo.Record(ctx, entry); err != nil {
		return err
	}
	e.tell([]workspace.Notice{{ID: r.ID, Text: fmt.Sprintf(
		"a change was made, but Forge was cut off before it was recorded: that is done now; take it back with: forge undo %s", entry.RunID)}})
	return nil
}

// sameEntry tells whether an entry of the ledger is the one that a journal has: a run has no two changes
// accepted at the same moment.
func sameEntry(known, noted shadow.Entry) bool {
	return known.RunID == noted.RunID && known.Time.Equal(noted.Time)
}

// tell passes notices on to whoever shows them.
func (e *Engine) tell(notices []workspace.Notice) {
	if e.options.Notice == nil {
		return
	}
	for _, n := range notices {
		e.options.Notice(n.Text)
	}
}
