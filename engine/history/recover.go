package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/shadow"
	"forge/engine/workspace"
)

// Recover finishes or reverts changes that killed processes left unfinished in a folder: files that were being
// written are all old again, or all new and in the ledger. Call it before any work in a folder; without
// anything to do it reads one folder of Forge's own. In an untrusted folder it starts no process: changes that
// only have to be recorded wait. Options.Notice receives the results.
//
// It only sees the disk. A change that a dead process asked an editor for, and that is not on disk, may be in a
// buffer: it waits a day for RecoverSeen.
func (l *Ledger) Recover(ctx context.Context, root string) error {
	return l.RecoverSeen(ctx, workspace.Snapshot{Root: root})
}

// RecoverSeen is Recover for a front with an editor: s has the open buffers, and may have none, but not nil.
func (l *Ledger) RecoverSeen(ctx context.Context, s workspace.Snapshot) error {
	if err := workspace.CheckRoot(s.Root); err != nil {
		return err
	}
	journal, err := workspace.JournalOf(l.state.Dir(), s.Root)
	if err != nil {
		return err
	}
	notices, err := journal.Recover(ctx, s.Root, func(ctx context.Context, r workspace.Recovered) error {
		return l.settle(ctx, s, r)
	})
	l.notify(notices)
	return err
}

// Tidy prepares a folder that was just opened: it calls Recover and removes the scratch trees of dead processes. In an
// untrusted folder it starts no process, and where Forge has never worked it creates nothing.
func (l *Ledger) Tidy(ctx context.Context, root string) error {
	if err := l.Recover(ctx, root); err != nil {
		return err
	}
	trusted, err := l.state.Trusted(root)
	if err != nil || !trusted {
		return err
	}
	dir, err := workspace.ProjectDir(l.state.Dir(), root)
	if err != nil {
		return err
	}
	if _, err := os.Stat(l.state.Path("shadow", filepath.Base(dir))); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err = l.state.Repo(ctx, root)
	return err
}

// settle records a change that a killed process made, or may have made, without recording it.
func (l *Ledger) settle(ctx context.Context, s workspace.Snapshot, r workspace.Recovered) error {
	trusted, err := l.state.Trusted(s.Root)
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
	if made, err := l.made(s, r, entry); err != nil || !made {
		return err
	}
	repo, err := l.state.Repo(ctx, s.Root)
	if err != nil {
		return err
	}
	entries, err := repo.Ledger.Entries(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(known shadow.Entry) bool { return sameEntry(known, entry) }) {
		return nil
	}
	if _, err := repo.Ledger.Record(ctx, entry); err != nil {
		return err
	}
	l.notify([]workspace.Notice{{ID: r.ID, Text: fmt.Sprintf(
		"a change was made, but Forge was interrupted before it recorded the change; it is recorded now. To undo it: forge undo %s", entry.RunID)}})
	return nil
}

// undecidedFor is how long an edit that an editor may have made waits for a front that sees the editor's buffers.
const undecidedFor = 24 * time.Hour

// made reports whether a change is to be recorded. The files show whether an editor made the change. A partly
// made change is recorded: its undo is a proposal that shows conflicts, while an unrecorded change could not be
// undone at all.
func (l *Ledger) made(s workspace.Snapshot, r workspace.Recovered, entry shadow.Entry) (bool, error) {
	if r.Committed {
		return true, nil
	}
	standing, err := standingOf(s, entry.Changes)
	if err != nil || standing != before {
		return err == nil, err
	}
	if s.Unsaved == nil && l.state.Now().Sub(entry.Time) < undecidedFor {
		return false, workspace.ErrLater
	}
	return false, nil
}

// sameEntry reports whether an entry of the ledger is the one in a journal: a run has no two changes accepted at the same moment.
func sameEntry(known, noted shadow.Entry) bool {
	return known.RunID == noted.RunID && known.Time.Equal(noted.Time)
}
