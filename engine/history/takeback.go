package history

import (
	"slices"
	"strings"

	"forge/engine/shadow"
	"forge/patch"
)

// reversed is the effect of an undo on one file: from the text after all the changes to the one before. A missing file has no text.
type reversed struct {
	from, to        string // paths
	before, after   string
	existed, exists bool
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
		for path, file := range step {
			files[path] = file
		}
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
			f.exists, f.after = true, back.After
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
		c.Kind, c.Before = patch.Create, ""
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
