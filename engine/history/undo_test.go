package history

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/shadow"
	"forge/patch"
)

// entriesOf is a ledger of run ids, newest first; "undo.x" undoes x.
func entriesOf(runs ...string) []shadow.Entry {
	var entries []shadow.Entry
	for i, run := range runs {
		entry := shadow.Entry{ID: string(rune('a' + i)), RunID: run}
		if len(run) > len(undoPrefix) && run[:len(undoPrefix)] == undoPrefix {
			entry.Undoes = run[len(undoPrefix):]
		}
		entries = append(entries, entry)
	}
	return entries
}

func TestUndo_PicksTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ledger []shadow.Entry
		id     string
		want   string
	}{
		"the last":                       {entriesOf("r2", "r1"), "", "r2"},
		"one that is named":              {entriesOf("r2", "r1"), "r1", "r1"},
		"by checkpoint":                  {entriesOf("r2", "r1"), "b", "r1"},
		"the last not undone":            {entriesOf("undo.r2", "r2", "r1"), "", "r1"},
		"all undone":                     {entriesOf("undo.r1", "undo.r2", "r2", "r1"), "", ""},
		"an undo, by its name":           {entriesOf("undo.r1", "r1"), "undo.r1", "undo.r1"},
		"in effect again after a redo":   {entriesOf("undo.undo.r1", "undo.r1", "r1"), "", "r1"},
		"undone again after the redo":    {entriesOf("undo.r1", "undo.undo.r1", "undo.r1", "r1"), "", ""},
		"accepted in two steps":          {entriesOf("r1", "r1"), "", "r1"},
		"nothing":                        {nil, "", ""},
		"unknown":                        {entriesOf("r1"), "r9", ""},
		"undone, but named all the same": {entriesOf("undo.r1", "r1"), "r1", "r1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := undoable(c.ledger, c.id)
			if c.want == "" {
				require.ErrorIs(t, err, ErrNothingToUndo)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func set(files ...patch.FileChange) patch.ChangeSet { return patch.ChangeSet{Files: files} }

func TestTakeBack_OfChains(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accepted []patch.ChangeSet // newest first
		want     patch.ChangeSet
	}{
		"one step": {
			[]patch.ChangeSet{set(patch.FileChange{Path: "a", Before: "1\n", After: "1\n2\n"})},
			set(patch.FileChange{Path: "a", Before: "1\n2\n", After: "1\n"}),
		},
		"created": {
			[]patch.ChangeSet{set(patch.FileChange{Kind: patch.Create, Path: "a", After: "x\n"})},
			set(patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\n"}),
		},
		"two steps in one file": {
			[]patch.ChangeSet{
				set(patch.FileChange{Path: "a", Before: "X\nb\nc\n", After: "X\nb\nY\n"}),
				set(patch.FileChange{Path: "a", Before: "a\nb\nc\n", After: "X\nb\nc\n"}),
			},
			set(patch.FileChange{Path: "a", Before: "X\nb\nY\n", After: "a\nb\nc\n"}),
		},
		"the user typed between the steps": {
			[]patch.ChangeSet{
				set(patch.FileChange{Path: "a", Before: "X\nb\nmine\nc\nd\n", After: "X\nb\nmine\nc\nY\n"}),
				set(patch.FileChange{Path: "a", Before: "a\nb\nc\nd\n", After: "X\nb\nc\nd\n"}),
			},
			set(patch.FileChange{Path: "a", Before: "X\nb\nmine\nc\nY\n", After: "a\nb\nmine\nc\nd\n"}),
		},
		"created, then changed": {
			[]patch.ChangeSet{
				set(patch.FileChange{Path: "a", Before: "x\n", After: "x\ny\n"}),
				set(patch.FileChange{Kind: patch.Create, Path: "a", After: "x\n"}),
			},
			set(patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\ny\n"}),
		},
		"there and back": {
			[]patch.ChangeSet{
				set(patch.FileChange{Path: "a", Before: "2\n", After: "1\n"}),
				set(patch.FileChange{Path: "a", Before: "1\n", After: "2\n"}),
			},
			patch.ChangeSet{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, takeBack(c.accepted))
		})
	}
}
