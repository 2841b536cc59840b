package shadow

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestLedger_ReturnsRecordedChanges(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	r := openIn(t, state, root)
	entry := Entry{
		RunID: "run-1", Title: "add \"reverse\" \n ünd more", Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC),
		Changes: patch.ChangeSet{Files: []patch.FileChange{
			{Kind: patch.Update, Path: "a.go", Before: "old\r\n", After: "new no newline"},
			{Kind: patch.Create, Path: "b/c.go", After: "created\n"},
			{Kind: patch.Create, Path: "b/empty.go"},
			{Kind: patch.Delete, Path: "gone.go", Before: "\xef\xbb\xbfold"},
			{Kind: patch.Delete, Path: "goneempty.go"},
			{Kind: patch.Move, From: "from.go", Path: "to/odd \"na\\me\n.go", Before: "same", After: "data 3\ndone\n"},
			{Kind: patch.Update, Path: "raw.bin", Before: "caf\xe9\x00", After: "\xff\x00"},
			{Kind: patch.Update, Path: "swap", Before: "x", After: ""},
		}},
	}
	id, err := r.Ledger.Record(t.Context(), entry)
	require.NoError(t, err)
	entry.ID = id

	again := openIn(t, state, root) // another process, later
	for _, ask := range []string{id, ""} {
		got, err := again.Ledger.Entry(t.Context(), ask)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(entry, got))
	}
}

func TestLedger_IsNewestFirst(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	none, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = r.Ledger.Entry(t.Context(), "")
	require.ErrorIs(t, err, ErrNoEntry)

	var ids []string
	for i := range 12 { // past one digit
		id, err := r.Ledger.Record(t.Context(), Entry{
			RunID: "same run", Title: fmt.Sprint(i), Time: time.Unix(5, 0),
			Changes: patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: fmt.Sprint(i), After: fmt.Sprint(i + 1)}}},
		})
		require.NoError(t, err)
		require.NotContains(t, ids, id)
		ids = append(ids, id)
	}
	entries, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	require.Len(t, entries, 12)
	for i, e := range entries {
		require.Equal(t, ids[11-i], e.ID)
		require.Equal(t, fmt.Sprint(11-i), e.Title)
		require.Equal(t, []patch.FileChange{{Kind: patch.Update, Path: "f"}}, e.Changes.Files)
	}
	third, err := r.Ledger.Entry(t.Context(), ids[2])
	require.NoError(t, err)
	require.Equal(t, "2", third.Changes.Files[0].Before)
	_, err = r.Ledger.Entry(t.Context(), "unknown")
	require.ErrorIs(t, err, ErrNoEntry)
	_, err = r.Ledger.Entry(t.Context(), ids[2][3:])
	require.ErrorIs(t, err, ErrNoEntry, "a part of an id is no id")
}

func TestLedger_RefusesUnrestorableChanges(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	for name, changes := range map[string][]patch.FileChange{
		"outside": {{Kind: patch.Update, Path: "../x"}},
		"git":     {{Kind: patch.Move, From: ".git/config", Path: "x"}},
		"twice":   {{Kind: patch.Update, Path: "x"}, {Kind: patch.Delete, Path: "x"}},
		"no text": {{Kind: patch.Update, Path: "caf\xe9"}},
	} {
		_, err := r.Ledger.Record(t.Context(), Entry{Changes: patch.ChangeSet{Files: changes}})
		var refused *patch.PathError
		require.ErrorAs(t, err, &refused, name)
	}
	_, err := r.Ledger.Record(t.Context(), Entry{Changes: patch.ChangeSet{Files: []patch.FileChange{{Kind: 99, Path: "x"}}}})
	require.ErrorContains(t, err, "unknown kind")
	entries, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	require.Empty(t, entries)
}
