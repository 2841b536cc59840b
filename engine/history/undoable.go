package history

import (
	"fmt"
	"strings"

	"forge/engine/shadow"
)

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
	return "", fmt.Errorf("%w: no undo in this folder stands", ErrNothingToRedo)
}

// isUndo reports whether an entry undid a run: an undo of an undo restores it.
func isUndo(entry shadow.Entry) bool {
	depth := 0
	for rest, is := strings.CutPrefix(entry.RunID, undoPrefix); is; rest, is = strings.CutPrefix(rest, undoPrefix) {
		depth++
	}
	return depth%2 == 1
}
