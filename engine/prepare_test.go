package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// bench is an engine over a folder, without a model.
func bench(t *testing.T, now func() time.Time) (e *Engine, root string) {
	t.Helper()
	root = t.TempDir()
	e = New(Options{StateDir: t.TempDir(), Environ: os.Environ(), Now: now})
	t.Cleanup(e.Close)
	require.NoError(t, e.Trust(root))
	return e, root
}

// What an editor was asked to change by a process that died is looked up in the files.
func TestAnEditThatWasCutOffIsSettled(t *testing.T) {
	t.Parallel()
	planned := set(
		patch.FileChange{Path: "a", Before: "1\n", After: "2\n"},
		patch.FileChange{Kind: patch.Create, Path: "new", After: "n\n"},
		patch.FileChange{Kind: patch.Delete, Path: "old", Before: "o\n"},
		patch.FileChange{Kind: patch.Move, Path: "to", From: "from", Before: "m\n", After: "m\n"},
	)
	before := map[string]string{"a": "1\n", "old": "o\n", "from": "m\n"}
	after := map[string]string{"a": "2\n", "new": "n\n", "to": "m\n"}
	half := map[string]string{"a": "2\n", "old": "o\n", "from": "m\n"}
	typed := map[string]string{"a": "2\nmine\n", "new": "n\n", "to": "m\n"}
	buffer := map[string]workspace.Document{}
	unsaved := map[string]workspace.Document{"a": {Path: "a", Text: "2\n"}}
	for name, c := range map[string]struct {
		files    map[string]string
		unsaved  map[string]workspace.Document
		later    time.Duration
		recorded int
		waits    bool
	}{
		"made":                                {files: after, recorded: 1},
		"made, an editor looks":               {files: after, unsaved: buffer, recorded: 1},
		"not made, an editor looks":           {files: before, unsaved: buffer},
		"not made, as the disk says":          {files: before, waits: true},
		"not made, as the disk says tomorrow": {files: before, later: 25 * time.Hour},
		"a part":                              {files: half, recorded: 1},
		"made, and typed over":                {files: typed, unsaved: buffer, recorded: 1},
		"in a buffer":                         {files: before, unsaved: unsaved, recorded: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := time.Now()
			e, root := bench(t, func() time.Time { return clock })
			for file, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
			}
			p := proposal.New("p-1", "r-1", "do it", planned, nil, func(string) bool { return true })
			w, err := e.prepare(t.Context(), root, p, planned)
			require.NoError(t, err)
			require.NoError(t, e.RecoverSeen(t.Context(), workspace.Snapshot{Root: root, Unsaved: buffer}), "who lives is left alone")
			w.Release() // as by death

			clock = clock.Add(c.later)
			seen := workspace.Snapshot{Root: root, Unsaved: c.unsaved}
			for range 2 {
				require.NoError(t, e.RecoverSeen(t.Context(), seen))
			}
			repo, err := e.repo(t.Context(), root)
			require.NoError(t, err)
			entries, err := repo.Entries(t.Context())
			require.NoError(t, err)
			require.Len(t, entries, c.recorded)
			left, _, err := workspace.Unsettled(t.Context(), e.options.StateDir)
			require.NoError(t, err)
			require.Equal(t, c.waits, len(left) == 1)
			if c.recorded == 0 {
				return
			}
			undo, err := e.Undo(t.Context(), root, "")
			require.NoError(t, err)
			require.Equal(t, "undo.r-1", undo.RunID)
		})
	}
}

func TestARecordingEndsWhatWasPrepared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accepted patch.ChangeSet
		recorded int
	}{
		"something": {set(patch.FileChange{Path: "a", Before: "1\n", After: "2\n"}), 1},
		"nothing":   {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, root := bench(t, nil)
			p := proposal.New("p-1", "r-1", "do it", set(), nil, func(string) bool { return true })
			record, err := e.Prepare(t.Context(), root, p, set(patch.FileChange{Path: "a", Before: "1\n", After: "3\n"}))
			require.NoError(t, err)
			checkpoint, err := record(t.Context(), c.accepted)
			require.NoError(t, err)
			require.Equal(t, c.recorded == 1, checkpoint != "")
			left, _, err := workspace.Unsettled(t.Context(), e.options.StateDir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
