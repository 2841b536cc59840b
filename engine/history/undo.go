package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

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
		return nil, fmt.Errorf("%w: %s is not trusted; if a run has changed it, trust it first", what.none, root)
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

// reversed is the effect of an undo on one file: from the text after all the changes to the one before. A missing file has no text.
type reversed struct {
	from, to        string // paths
	before, after   string
	existed, exists bool
	mode            fs.FileMode // of a file that is created again
}

// takeBack returns the change set that undoes several, given newest first. Text that the user typed
// between two of them stays: a three-way merge removes each change from the latest text.
func takeBack(changes []patch.ChangeSet) patch.ChangeSet {
	files := map[string]reversed{} // by their current path
	for _, set := range changes {
		step := map[string]reversed{}
		for _, back := range set.Inverse().Files {
			file, again := files[start(back)]
			if again {
				delete(files, start(back))
			} else {
				file = untouched(back)
			}
			file = file.with(back)
			step[file.to] = file
		}
		maps.Copy(files, step)
	}
	var all patch.ChangeSet
	for _, file := range files {
		if change, ok := file.change(); ok {
			all.Files = append(all.Files, change)
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// start returns the path of the text on which a change is computed.
func start(c patch.FileChange) string {
	if c.Kind == patch.Move {
		return c.From
	}
	return c.Path
}

// untouched is a file that no later change affects.
func untouched(c patch.FileChange) reversed {
	there := c.Kind != patch.Create
	return reversed{from: start(c), to: start(c), before: c.Before, after: c.Before, existed: there, exists: there}
}

// with undoes an earlier change as well. It skips effects on a file that no longer exists, or exists again: the
// user, or a later change, did that.
func (f reversed) with(back patch.FileChange) reversed {
	if back.Kind == patch.Create {
		if !f.exists {
			f.exists, f.after, f.mode = true, back.After, back.Mode
		}
		return f
	}
	if !f.exists {
		return f
	}
	f = f.merged(back)
	if back.Kind == patch.Delete && f.after == "" {
		f.exists = false
	}
	f.to = back.Path
	return f
}

// merged removes an earlier change from the text that later ones leave.
func (f reversed) merged(back patch.FileChange) reversed {
	text, conflicts := patch.Merge(back.Before, f.after, back.After)
	if len(conflicts) == 0 {
		f.after = text
		return f
	}
	// Between the two the user changed lines of the earlier one. If their text can be separated from later changes,
	// it is in neither text here, so that the proposal finds it in the file and shows the conflict; otherwise that
	// part stays.
	if before, inseparable := patch.Merge(f.after, f.before, back.Before); len(inseparable) == 0 && f.existed {
		f.before, f.after = before, back.After
	} else {
		f.after = text
	}
	return f
}

func (f reversed) change() (patch.FileChange, bool) {
	c := patch.FileChange{Kind: patch.Update, Path: f.to, Before: f.before, After: f.after}
	switch {
	case f.existed && f.exists && f.from == f.to:
		return c, f.before != f.after
	case f.existed && f.exists:
		c.Kind, c.From = patch.Move, f.from
	case f.existed:
		c.Kind, c.Path, c.After = patch.Delete, f.from, ""
	case f.exists:
		c.Kind, c.Before, c.Mode = patch.Create, "", f.mode
	default:
		return c, false
	}
	return c, true
}

// concerning returns the changes of a run, their undos, the undos of those and so on, newest first: together
// they are the current effect of the run.
func concerning(entries []shadow.Entry, run string) []shadow.Entry {
	var found []shadow.Entry
	for _, entry := range entries {
		if before, ok := strings.CutSuffix(entry.RunID, run); ok && strings.ReplaceAll(before, undoPrefix, "") == "" {
			found = append(found, entry)
		}
	}
	return found
}

// Checkpoint is an entry of the ledger: an accepted change of a folder, which can be undone.
type Checkpoint struct {
	ID     string
	RunID  string
	Undoes string // the RunID of the run that it undoes; empty for other changes
	Title  string
	Time   time.Time
	Files  []CheckpointFile
}

// CheckpointFile is a file that an accepted change created, changed, moved or deleted.
type CheckpointFile struct {
	Path string // relative to the root
	From string // of a move
	Kind patch.Kind
}

// Checkpoints lists the ledger of a folder, the newest first. In an untrusted folder it starts no process:
// such a folder has no accepted changes.
func (l *Ledger) Checkpoints(ctx context.Context, root string) ([]Checkpoint, error) {
	trusted, err := l.state.Trusted(root)
	if err != nil || !trusted {
		return nil, err
	}
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	return l.recorded(ctx, root)
}

// recorded is Checkpoints of a trusted folder whose unfinished changes are settled, or are being settled.
func (l *Ledger) recorded(ctx context.Context, root string) ([]Checkpoint, error) {
	repo, err := l.state.Repo(ctx, root)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Ledger.Entries(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Checkpoint, len(entries))
	for i, entry := range entries {
		list[i] = Checkpoint{ID: entry.ID, RunID: entry.RunID, Undoes: entry.Undoes, Title: entry.Title, Time: entry.Time}
		for _, f := range entry.Changes.Files {
			list[i].Files = append(list[i].Files, CheckpointFile{Path: f.Path, From: f.From, Kind: f.Kind})
		}
	}
	return list, nil
}
