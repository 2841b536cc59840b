package history

import (
	"context"
	"fmt"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/workspace"
	"forge/patch"
)

// Written is a change that is in the folder and not in the ledger yet. If the process dies before Record, the
// next process in the folder records what was planned.
type Written struct {
	ledger  *Ledger
	root    string
	entry   shadow.Entry
	pending *workspace.Pending // nil if there was nothing to write
}

// Write writes what the user accepted of a proposal into a folder on disk, for a front without an editor: all
// of it or nothing, even if the process is killed (see workspace.Journal). planned are the files before and
// after, for the ledger. The caller reads the files back and calls Record.
func (l *Ledger) Write(ctx context.Context, root string, p *proposal.Proposal, writes []workspace.FileWrite, planned patch.ChangeSet) (*Written, error) {
	if len(writes) == 0 {
		return &Written{}, nil
	}
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	w, err := l.note(root, p, planned, func(journal workspace.Journal, payload []byte) (*workspace.Pending, error) {
		return journal.Write(ctx, root, writes, payload)
	})
	if err == nil {
		l.notify(w.pending.Notices)
	}
	return w, err
}

// note starts a change with its note in the journal of the folder.
func (l *Ledger) note(
	root string, p *proposal.Proposal, planned patch.ChangeSet, begin func(workspace.Journal, []byte) (*workspace.Pending, error),
) (*Written, error) {
	entry := l.entry(p, planned)
	payload, err := encodeAccepted(entry)
	if err != nil {
		return nil, fmt.Errorf("journal the change by %s: %w", p.RunID, err)
	}
	journal, err := workspace.JournalOf(l.state.Dir(), root)
	if err != nil {
		return nil, err
	}
	pending, err := begin(journal, payload)
	if err != nil {
		return nil, err
	}
	return &Written{ledger: l, root: root, entry: entry, pending: pending}, nil
}

// Record records the files' actual state in the ledger, and returns the checkpoint, or "" without files. If
// it fails, the next process in the folder records what was planned.
func (w *Written) Record(ctx context.Context, accepted patch.ChangeSet) (checkpoint string, err error) {
	switch {
	case w.pending == nil:
		return "", nil
	case len(accepted.Files) == 0:
		return "", w.pending.Finish(nil)
	}
	w.entry.Changes = accepted
	err = w.pending.Finish(func() error {
		repo, err := w.ledger.state.Repo(ctx, w.root)
		if err == nil {
			checkpoint, err = repo.Ledger.Record(ctx, w.entry)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("record the accepted change of %s: %w; the next command in this folder retries", w.entry.RunID, err)
	}
	return checkpoint, nil
}

// Release leaves the change to the next process in the folder. It may follow Record.
func (w *Written) Release() {
	if w.pending != nil {
		w.pending.Release()
	}
}
