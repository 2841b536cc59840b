package shadow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// generating is a Python project of which an installation has written the version.
func generating(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	put(t, root, ".gitignore", "_version.py\nsecrets.py\n/loose/_version.py\n")
	put(t, root, "pyproject.toml", "")
	put(t, root, "src/ours/__init__.py", "from ._version import version\n")
	put(t, root, "src/ours/_version.py", "version = '1'\n")
	put(t, root, "src/ours/secrets.py", "KEY = 'mine'\n")
	put(t, root, "loose/notes.txt", "no package\n")
	put(t, root, "loose/_version.py", "version = '2'\n")
	return root
}

const generatedName = "src/ours/_version.py"

func TestCheckout_ShowsAGeneratedVersion(t *testing.T) {
	t.Parallel()
	root := generating(t)
	r := open(t, root)
	s := snap(t, r, nil)
	tree := checkout(t, r, s)
	for range 2 { // also after a reset
		require.Equal(t, "version = '1'\n", read(t, tree.Dir(), generatedName))
		require.NoFileExists(t, filepath.Join(tree.Dir(), "src", "ours", "secrets.py"), "of what is ignored only versions are linked")
		require.NoFileExists(t, filepath.Join(tree.Dir(), "loose", "_version.py"))
		changes, err := tree.Changes(t.Context())
		require.NoError(t, err)
		require.Empty(t, changes.Files)
		listed, err := tree.List(t.Context())
		require.NoError(t, err)
		require.NotContains(t, listed, generatedName)
		require.NoError(t, os.Remove(filepath.Join(tree.Dir(), filepath.FromSlash(generatedName))))
		require.NoError(t, tree.Reset(t.Context()))
	}
	require.NoError(t, tree.Close())
	again := checkout(t, r, s)
	require.Equal(t, "version = '1'\n", read(t, again.Dir(), generatedName))
}

// A change that writes such a file has its way in the tree, and the user's stays as it is.
func TestApply_WritesWhereAVersionWasLent(t *testing.T) {
	t.Parallel()
	root := generating(t)
	r := open(t, root)
	before := fingerprint(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: generatedName, After: "version = '3'\n"}}}))
	require.Equal(t, "version = '3'\n", read(t, tree.Dir(), generatedName))
	changes, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes.Files, 1)
	require.NoError(t, tree.Reset(t.Context()))
	require.Equal(t, "version = '1'\n", read(t, tree.Dir(), generatedName))
	require.Equal(t, before, fingerprint(t, root))
}
