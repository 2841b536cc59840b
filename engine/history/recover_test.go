package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/proposal"
	"forge/engine/sandbox"
	"forge/engine/secret"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

func TestNote_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	entry := shadow.Entry{
		RunID: "undo.r1", Undoes: "r1", Title: "Undo: it", Time: time.Now(),
		Changes: set(
			patch.FileChange{Kind: patch.Update, Path: "a", Before: "\xff\x00\r", After: "\ufeffx"}, patch.FileChange{Kind: patch.Create, Path: "b"},
			patch.FileChange{Kind: patch.Delete, Path: "c", Before: "c"}, patch.FileChange{Kind: patch.Move, Path: "e", From: "d", Before: "1", After: "2"},
		),
	}
	payload, err := encodeAccepted(entry)
	require.NoError(t, err)
	got, err := decodeAccepted(payload)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(entry, got))
	for name, text := range map[string]string{
		"unexpected end": `{`, "another version": `{"version":2,"run":"r"}`, "unknown kind": `{"version":1,"files":[{"kind":"burn"}]}`,
	} {
		_, err := decodeAccepted([]byte(text))
		require.ErrorContains(t, err, name)
	}
}

// written is a folder with a change that is written and not recorded.
type written struct {
	state, root string
	proposal    *proposal.Proposal
	changes     patch.ChangeSet
	result      *Written
}

func write(t *testing.T) written {
	t.Helper()
	w := written{state: t.TempDir(), root: t.TempDir(), changes: set(patch.FileChange{Kind: patch.Update, Path: "a.txt", Before: "old\n", After: "new\n"})}
	require.NoError(t, os.WriteFile(filepath.Join(w.root, "a.txt"), []byte("old\n"), 0o600))
	w.proposal = proposal.New("p-1", "a-1", "Apply it", w.changes, nil, nil)
	l, _ := w.open(t)
	made := []workspace.FileWrite{{Path: "a.txt", Content: []byte("new\n"), Base: workspace.Hash([]byte("old\n"))}}
	_, err := l.Write(t.Context(), w.root, w.proposal, made, w.changes)
	require.ErrorContains(t, err, "the folder is not trusted, so nothing was applied")
	require.Equal(t, event.RemedyTrust, event.RemedyOf(l.Admits(w.root)))
	l.state.Restrict(true)
	require.ErrorContains(t, l.Admits(w.root), "trust it in the editor")
	require.Empty(t, event.RemedyOf(l.Admits(w.root)), "in a restricted window nothing is asked")
	l.state.Restrict(false)
	require.NoError(t, l.state.Trust(w.root, state.Execute))
	w.result, err = l.Write(t.Context(), w.root, w.proposal, made, w.changes)
	require.NoError(t, err)
	return w
}

// open returns the ledger as another process opens it, and the notices it sends.
func (w written) open(t *testing.T) (*Ledger, *[]string) {
	t.Helper()
	var notices []string
	s := state.New(state.Options{
		Dir: w.state, Now: time.Now, Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}), Secrets: secret.New(),
		Notice: func(text string) { notices = append(notices, text) },
	})
	t.Cleanup(s.Close)
	return NewLedger(s), &notices
}

func (w written) entries(t *testing.T) []shadow.Entry {
	t.Helper()
	l, _ := w.open(t)
	repo, err := l.state.Repo(t.Context(), w.root)
	require.NoError(t, err)
	entries, err := repo.Ledger.Entries(t.Context())
	require.NoError(t, err)
	return entries
}

func (w written) journal(t *testing.T) []string {
	t.Helper()
	j, err := workspace.JournalOf(w.state, w.root)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(j.Dir, "*"))
	require.NoError(t, err)
	return files
}

// The process dies after the files were written: the next one records the change, once, and can undo it.
func TestRecover_RecordsChangesOfADeadProcess(t *testing.T) {
	t.Parallel()
	w := write(t)
	l, notices := w.open(t)
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.Empty(t, *notices, "its process is alive")
	require.Empty(t, w.entries(t))
	w.result.Release()
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.Len(t, *notices, 1)
	require.Contains(t, (*notices)[0], "forge undo a-1")
	require.Len(t, w.entries(t), 1)
	require.Empty(t, w.journal(t))
	back, err := l.Undo(t.Context(), w.root, "")
	require.NoError(t, err)
	require.Equal(t, "undo.a-1", back.RunID)
	require.Equal(t, "old\n", back.Files[0].Change.After)
}

// The process dies after it recorded, before the journal knew: nothing is recorded twice.
func TestRecover_RecordsNothingTwice(t *testing.T) {
	t.Parallel()
	w := write(t)
	entry := w.journal(t)[0]
	kept, err := os.ReadFile(entry) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	_, err = w.result.Record(t.Context(), w.changes)
	require.NoError(t, err)
	require.Empty(t, w.journal(t))
	require.NoError(t, os.WriteFile(entry, kept, 0o600))
	l, notices := w.open(t)
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.Empty(t, *notices)
	require.Len(t, w.entries(t), 1)
	require.Empty(t, w.journal(t))
}

// In a folder that is not trusted nothing is recorded, for that starts git; it waits.
func TestRecover_WaitsForTrust(t *testing.T) {
	t.Parallel()
	w := write(t)
	w.result.Release()
	l, notices := w.open(t)
	_, err := l.state.Untrust(w.root)
	require.NoError(t, err)
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.Empty(t, *notices)
	require.Len(t, w.journal(t), 1)
	require.NoDirExists(t, filepath.Join(w.state, "shadow"))
	require.NoError(t, l.state.Trust(w.root, state.Execute))
	require.NoError(t, l.Recover(t.Context(), w.root))
	require.Len(t, w.entries(t), 1)
	require.Empty(t, w.journal(t))
}
