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

	"forge/engine/event"
	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/patch"
)

// Written is a change that is in the folder and not in the ledger yet. If the process dies before Record, the
// next process in the folder records what was planned.
type Written struct {
	ledger  *Ledger
	root    string
	entry   shadow.Entry
	pending *workspace.Pending // nil if there was nothing to write
	of      *proposal.Proposal // settled before Record; nil if an editor writes
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
		w.of = p
		l.notify(w.pending.Notices)
	}
	return w, err
}

// The errors of a change that could not be recorded: git runs in the folder then.
var (
	errRestricted = errors.New("the folder is not trusted, and the editor has restricted its workspace, so nothing was applied: trust it in the editor")
	errUntrusted  = event.NewRemedied(event.RemedyTrust, "the folder is not trusted, so nothing was applied: git, which records the data for undo, runs in it")
)

// Admits returns why no change may be recorded in a folder: the user has not trusted it.
func (l *Ledger) Admits(root string) error {
	trusted, err := l.state.Trusted(root)
	switch {
	case err != nil || trusted:
		return err
	case l.state.Restricted():
		return errRestricted
	}
	return errUntrusted
}

// note starts a change with its note in the journal of the folder.
func (l *Ledger) note(
	root string, p *proposal.Proposal, planned patch.ChangeSet, begin func(workspace.Journal, []byte) (*workspace.Pending, error),
) (*Written, error) {
	if err := l.Admits(root); err != nil {
		return nil, err
	}
	planned, err := withModes(root, p, planned)
	if err != nil {
		return nil, err
	}
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
	w.entry.Changes = sameModes(w.entry.Changes, accepted)
	w.ledger.restoreModes(w.root, w.entry.Changes)
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
	w.ledger.applied(ctx, w.root, w.entry, w.of)
	return checkpoint, nil
}

// Release leaves the change to the next process in the folder. It may follow Record.
func (w *Written) Release() {
	if w.pending != nil {
		w.pending.Release()
	}
}

// FailpointPrepared is where a process dies in tests after an editor's edit was noted, and before it was sent.
const FailpointPrepared = "edit.prepared"

// Recording records in the ledger what an editor has really changed, and returns the checkpoint. Without
// changed files it writes nothing, and returns "". It is called once.
type Recording func(ctx context.Context, accepted patch.ChangeSet) (checkpoint string, err error)

// Prepare notes a change before an editor is asked to make it: if the process dies before the recording, the
// change is not lost to undo. planned are the files before and after the complete change. Without the note the
// editor must not be asked.
func (l *Ledger) Prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (Recording, error) {
	w, err := l.prepare(ctx, root, p, planned)
	if err != nil {
		return nil, err
	}
	failpoint.Hit(FailpointPrepared)
	return w.Record, nil
}

func (l *Ledger) prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (*Written, error) {
	return l.note(root, p, planned, func(journal workspace.Journal, payload []byte) (*workspace.Pending, error) {
		return journal.Begin(ctx, root, payload)
	})
}

// standing is the state of files relative to a change that may have been made.
type standing int

const (
	somehow standing = iota // neither: a part was made, or the user has typed since
	before                  // none of the change is made
	after                   // all of it is made
)

// standingOf compares files with a change.
func standingOf(files workspace.Snapshot, set patch.ChangeSet) (standing, error) {
	isBefore, isAfter := true, true
	for _, c := range set.Files {
		old := c.Path
		if c.Kind == patch.Move {
			old = c.From
			gone, err := holds(files, old, "", false)
			if err != nil {
				return somehow, err
			}
			isAfter = isAfter && gone
		}
		was, err := holds(files, old, c.Before, c.Kind != patch.Create)
		if err != nil {
			return somehow, err
		}
		is, err := holds(files, c.Path, c.After, c.Kind != patch.Delete)
		if err != nil {
			return somehow, err
		}
		isBefore, isAfter = isBefore && was, isAfter && is
	}
	switch {
	case isAfter:
		return after, nil
	case isBefore:
		return before, nil
	}
	return somehow, nil
}

// holds reports whether a file exists with this text, or does not exist, as wanted. A folder in its place, or a link on its path that leads out
// of the root, is neither.
func holds(files workspace.Snapshot, name, text string, exists bool) (bool, error) {
	content, err := files.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, workspace.ErrNoFolder):
		return !exists, nil
	case errors.As(err, new(*patch.PathError)):
		return false, nil
	}
	return exists && string(content) == text, err
}

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
	l.restoreModes(s.Root, entry.Changes)
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
	l.applied(ctx, s.Root, entry, nil)
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
