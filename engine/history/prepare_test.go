package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/proposal"
	"forge/engine/sandbox"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

// open returns the ledger of a folder that the user trusts.
func open(t *testing.T, now func() time.Time) (l *Ledger, root string) {
	t.Helper()
	return opened(t, state.Options{Now: now})
}

func opened(t *testing.T, o state.Options) (l *Ledger, root string) {
	t.Helper()
	root = t.TempDir()
	o.Dir, o.Runner, o.Secrets = t.TempDir(), sandbox.New(sandbox.Options{Environ: os.Environ()}), secret.New()
	s := state.New(o)
	t.Cleanup(s.Close)
	require.NoError(t, s.Trust(root, state.Execute))
	return NewLedger(s), root
}

// An editor's pending change of a process that died is checked against the files.
func TestRecover_SettlesAnEditThatWasCutOff(t *testing.T) {
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
			l, root := open(t, func() time.Time { return clock })
			for file, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
			}
			p := proposal.New("p-1", "r-1", "do it", planned, nil, func(string) bool { return true })
			w, err := l.prepare(t.Context(), root, p, planned)
			require.NoError(t, err)
			require.NoError(t, l.RecoverSeen(t.Context(), workspace.Snapshot{Root: root, Unsaved: buffer}), "a living process is left alone")
			w.Release() // as by death

			clock = clock.Add(c.later)
			seen := workspace.Snapshot{Root: root, Unsaved: c.unsaved}
			for range 2 {
				require.NoError(t, l.RecoverSeen(t.Context(), seen))
			}
			repo, err := l.Repo(t.Context(), root)
			require.NoError(t, err)
			entries, err := repo.Ledger.Entries(t.Context())
			require.NoError(t, err)
			require.Len(t, entries, c.recorded)
			left, _, err := workspace.Unsettled(t.Context(), l.state.Dir())
			require.NoError(t, err)
			require.Equal(t, c.waits, len(left) == 1)
			if c.recorded == 0 {
				return
			}
			undo, err := l.Undo(t.Context(), root, "")
			require.NoError(t, err)
			require.Equal(t, "undo.r-1", undo.RunID)
		})
	}
}

func TestPrepare_RecordingEndsTheNote(t *testing.T) {
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
			l, root := open(t, time.Now)
			p := proposal.New("p-1", "r-1", "do it", set(), nil, func(string) bool { return true })
			record, err := l.Prepare(t.Context(), root, p, set(patch.FileChange{Path: "a", Before: "1\n", After: "3\n"}))
			require.NoError(t, err)
			checkpoint, err := record(t.Context(), c.accepted)
			require.NoError(t, err)
			require.Equal(t, c.recorded == 1, checkpoint != "")
			left, _, err := workspace.Unsettled(t.Context(), l.state.Dir())
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// What an editor creates has the permissions of any new file. The record gives it those of the file that it was moved from, or that an undo
// restores.
func TestPrepare_RecordingRestoresPermissions(t *testing.T) {
	t.Parallel()
	l, root := open(t, time.Now)
	at := func(name string) string { return filepath.Join(root, name) }
	mode := func(name string) os.FileMode {
		info, err := os.Stat(at(name))
		require.NoError(t, err)
		return info.Mode()
	}
	script := "#!/bin/sh\nset -e\nmake\n"
	require.NoError(t, os.WriteFile(at("deploy.sh"), []byte(script), 0o600))
	require.NoError(t, os.Chmod(at("deploy.sh"), 0o750)) //nolint:gosec // a program
	moved := set(
		patch.FileChange{Kind: patch.Delete, Path: "deploy.sh", Before: script},
		patch.FileChange{Kind: patch.Create, Path: "release.sh", After: script + "make release\n"},
	)
	p := proposal.New("p-1", "r-1", "move it", moved, nil, nil)
	record, err := l.Prepare(t.Context(), root, p, moved)
	require.NoError(t, err)
	require.NoError(t, os.Remove(at("deploy.sh")))
	require.NoError(t, os.WriteFile(at("release.sh"), []byte(script+"make release\n"), 0o600))
	_, err = record(t.Context(), moved)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o750), mode("release.sh"))

	back, err := l.Undo(t.Context(), root, "")
	require.NoError(t, err)
	undone := set(back.Files[0].Change, back.Files[1].Change)
	w, err := l.prepare(t.Context(), root, back, undone)
	require.NoError(t, err)
	require.NoError(t, os.Remove(at("release.sh")))
	require.NoError(t, os.WriteFile(at("deploy.sh"), []byte(script), 0o600))
	w.Release() // as by death: the next process records it
	require.NoError(t, l.Recover(t.Context(), root))
	require.Equal(t, os.FileMode(0o750), mode("deploy.sh"))
}

func TestPrepare_RecordingReportsPermissionsThatItCannotSet(t *testing.T) {
	t.Parallel()
	var notices []string
	l, root := opened(t, state.Options{Now: time.Now, Notice: func(text string) { notices = append(notices, text) }})
	made := set(patch.FileChange{Kind: patch.Create, Path: "run.sh", After: "make\n", Mode: 0o750})
	record, err := l.Prepare(t.Context(), root, proposal.New("p-1", "r-1", "make it", made, nil, nil), made)
	require.NoError(t, err)
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(root, "run.sh"))) // the user replaced it
	_, err = record(t.Context(), made)
	require.NoError(t, err)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0], "run.sh has the permissions of a new file, since those that it had (0750) cannot be set: ")
}
