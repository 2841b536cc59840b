package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

// Ledger is the ledger of every folder of the user. It keeps no files open itself.
type Ledger struct{ state *state.State }

// NewLedger returns the ledger in a state.
func NewLedger(s *state.State) *Ledger { return &Ledger{s} }

// Repo returns the shadow repository of a folder, after all unfinished changes are settled.
func (l *Ledger) Repo(ctx context.Context, root string) (*shadow.Repo, error) {
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	return l.state.Repo(ctx, root)
}

// entry returns the ledger entry for a change that was just accepted.
func (l *Ledger) entry(p *proposal.Proposal, accepted patch.ChangeSet) shadow.Entry {
	entry := shadow.Entry{RunID: p.RunID, Title: p.Title, Time: l.state.Now(), Changes: accepted}
	if undone, ok := strings.CutPrefix(p.RunID, undoPrefix); ok {
		entry.Undoes = undone
	}
	return entry
}

// notify notifies the user of the results of a recovery.
func (l *Ledger) notify(notices []workspace.Notice) {
	for _, n := range notices {
		l.state.Notify(n.Text)
	}
}

// acceptedNote is an entry of the ledger in a journal, until it is recorded: with whole texts, as bytes,
// because JSON would change invalid UTF-8. Its names are a file format.
type acceptedNote struct {
	Version int            `json:"version"`
	Run     string         `json:"run"`
	Undoes  string         `json:"undoes,omitempty"`
	Title   string         `json:"title"`
	Time    time.Time      `json:"time"`
	Files   []acceptedFile `json:"files"`
}

type acceptedFile struct {
	Kind   string      `json:"kind"`
	Path   string      `json:"path"`
	From   string      `json:"from,omitempty"`
	Before []byte      `json:"before,omitempty"`
	After  []byte      `json:"after,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
}

const acceptedVersion = 1

// encodeAccepted encodes an entry as the payload of a journal.
func encodeAccepted(entry shadow.Entry) ([]byte, error) {
	note := acceptedNote{Version: acceptedVersion, Run: entry.RunID, Undoes: entry.Undoes, Title: entry.Title, Time: entry.Time}
	for _, f := range entry.Changes.Files {
		note.Files = append(note.Files, acceptedFile{
			Kind: f.Kind.String(), Path: f.Path, From: f.From, Before: []byte(f.Before), After: []byte(f.After), Mode: f.Mode,
		})
	}
	return json.Marshal(note)
}

// decodeAccepted reverses encodeAccepted.
func decodeAccepted(payload []byte) (shadow.Entry, error) {
	var note acceptedNote
	if err := json.Unmarshal(payload, &note); err != nil {
		return shadow.Entry{}, fmt.Errorf("read the accepted change: %w", err)
	}
	if note.Version != acceptedVersion {
		return shadow.Entry{}, fmt.Errorf("another version of Forge wrote the accepted change of %s: update Forge", note.Run)
	}
	entry := shadow.Entry{RunID: note.Run, Undoes: note.Undoes, Title: note.Title, Time: note.Time}
	for _, f := range note.Files {
		kind, ok := patch.KindNamed(f.Kind)
		if !ok {
			return shadow.Entry{}, fmt.Errorf("the accepted change of %s has the unknown kind %q", note.Run, f.Kind)
		}
		entry.Changes.Files = append(entry.Changes.Files, patch.FileChange{
			Kind: kind, Path: f.Path, From: f.From, Before: string(f.Before), After: string(f.After), Mode: f.Mode,
		})
	}
	return entry, nil
}

// undoable returns the run to undo from the ledger, newest first.
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
	if len(entries) > 0 {
		return "", fmt.Errorf("%w: every accepted change was undone", ErrNothingToUndo)
	}
	return "", fmt.Errorf("%w: no run has changed a file in this folder", ErrNothingToUndo)
}

// redoable returns the undo to revert from the ledger, newest first.
func redoable(entries []shadow.Entry, id string) (run string, err error) {
	back := map[string]bool{} // reverted since
	for _, entry := range entries {
		if isUndo(entry) && id != "" && (entry.ID == id || entry.RunID == id || entry.Undoes == id) {
			return entry.RunID, nil
		}
		if back[entry.RunID] {
			continue
		}
		if id == "" && isUndo(entry) {
			return entry.RunID, nil
		}
		back[entry.Undoes] = true
	}
	if id != "" {
		return "", fmt.Errorf("%w: no undo, undone run or checkpoint %q has changed a file in this folder", ErrNothingToRedo, id)
	}
	return "", fmt.Errorf("%w: no change in this folder is undone", ErrNothingToRedo)
}

// isUndo reports whether an entry undid a run: an undo of an undo restores it.
func isUndo(entry shadow.Entry) bool {
	_, undone := RunOf(entry.RunID)
	return undone
}

// RunOf returns the run whose change an entry of the ledger made, undid or restored. undone means that it undid it.
func RunOf(entry string) (run string, undone bool) {
	for run = entry; strings.HasPrefix(run, undoPrefix); undone = !undone {
		run = strings.TrimPrefix(run, undoPrefix)
	}
	return run, undone
}

// InEffect returns the files that the accepted changes of a run changed and that were not undone since, sorted. The checkpoints are
// the newest first.
func InEffect(checkpoints []Checkpoint, run string) []string {
	files := map[string]bool{}
	for _, c := range slices.Backward(checkpoints) {
		of, undone := RunOf(c.RunID)
		if of != run {
			continue
		}
		for _, f := range c.Files {
			if undone {
				delete(files, cmp.Or(f.From, f.Path)) // a move back
			} else {
				files[f.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(files))
}
