package shadow

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A tree in use is listed with its run and process, and pruning leaves it; afterwards it is idle, without a run, and pruned.
func TestTrees_ListAndPrune(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.go", "package a\n")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	require.NoError(t, tree.Label("r-1"))
	put(t, tree.Dir(), "built.o", "0123456789")

	listed, err := r.Trees.List()
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, Scratch{Dir: tree.Dir(), InUse: true, PID: os.Getpid(), Run: "r-1", Since: listed[0].Since, Bytes: listed[0].Bytes}, listed[0])
	require.GreaterOrEqual(t, listed[0].Bytes, int64(len("package a\n")+10))
	require.False(t, listed[0].Since.IsZero())
	removed, _, err := r.Trees.Prune(t.Context())
	require.NoError(t, err)
	require.Zero(t, removed)
	require.DirExists(t, tree.Dir())

	require.NoError(t, tree.Close())
	listed, err = r.Trees.List()
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.False(t, listed[0].InUse)
	require.Empty(t, listed[0].Run)
	removed, bytes, err := r.Trees.Prune(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.Positive(t, bytes)
	listed, err = r.Trees.List()
	require.NoError(t, err)
	require.Empty(t, listed)
}
