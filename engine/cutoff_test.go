package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/checks"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// openTrusted returns an engine without a model, and a folder that the user trusts.
func openTrusted(t *testing.T, now func() time.Time) (e *Engine, root string) {
	t.Helper()
	root = t.TempDir()
	e = New(Options{StateDir: t.TempDir(), Environ: os.Environ(), Now: now})
	t.Cleanup(e.Close)
	require.NoError(t, e.Trust(root))
	return e, root
}

// cutOff returns an engine, and a folder in which a process has died after it wrote a change and before it recorded it.
func cutOff(t *testing.T) (e *Engine, root string) {
	t.Helper()
	e, root = openTrusted(t, nil)
	change := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "a.txt", Before: "old\n", After: "new\n"}}}
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("old\n"), 0o600))
	w, err := e.Write(t.Context(), root, proposal.New("p-1", "a-1", "Apply it", change, nil, nil),
		[]workspace.FileWrite{{Path: "a.txt", Content: []byte("new\n"), Base: workspace.Hash([]byte("old\n"))}}, change)
	require.NoError(t, err)
	w.Release()
	return e, root
}

func TestDoctor_SettlesEveryFolder(t *testing.T) {
	t.Parallel()
	e, root := cutOff(t)
	check := doctor{e}.cutOff(t.Context())
	require.Equal(t, checks.CheckOK, check.State)
	require.Contains(t, check.Detail, root)
	checkpoints, err := e.Checkpoints(t.Context(), root)
	require.NoError(t, err)
	require.Len(t, checkpoints, 1)
	require.Equal(t, "none was interrupted", doctor{e}.cutOff(t.Context()).Detail)
}

// A folder that is gone does not keep doctor from saying so, nor other folders from being looked after.
func TestDoctor_NamesAMissingFolder(t *testing.T) {
	t.Parallel()
	e, root := cutOff(t)
	require.NoError(t, os.RemoveAll(root))
	check := doctor{e}.cutOff(t.Context())
	require.Equal(t, checks.CheckWarning, check.State)
	require.Contains(t, check.Detail, root)
}
