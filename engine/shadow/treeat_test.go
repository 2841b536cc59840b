package shadow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder is of the tree that it lies in, and of none when it lies beside one.
func TestTreeAt_FindsTheTreeOfAFolder(t *testing.T) {
	t.Parallel()
	state, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.Symlink(state, link))
	tree := filepath.Join(state, "shadow", "0a", "trees", "1", "work")
	for folder, want := range map[string]string{
		tree:                           tree,
		filepath.Join(tree, "sub/dir"): tree,
		filepath.Join(tree, "shadow/0a/trees/1/work"): tree, // the outer one
		filepath.Dir(tree):                            "", state: "", "/": "",
		filepath.Join(state, "shadow", "0a", "pool", "1", "work"):   "",
		filepath.Join(state, "trees", "trees", "1", "work"):         "",
		filepath.Join(state, "shadow", "0a", "trees", "1", "owner"): "",
	} {
		require.Equal(t, want, TreeAt(state, folder), folder)
		require.Equal(t, want, TreeAt(link, folder), folder)
	}
	require.Empty(t, TreeAt(filepath.Join(state, "gone"), tree))
}
