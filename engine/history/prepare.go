package history

import (
	"context"
	"errors"
	"io/fs"

	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/patch"
)

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

// holds reports whether a file exists with this text, or does not exist, as wanted.
func holds(files workspace.Snapshot, name, text string, exists bool) (bool, error) {
	content, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return !exists, nil
	}
	return exists && string(content) == text, err
}
