package shadow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestList_HasSnapshotAndAppliedFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"b.go", "a.go", "gone.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("package x\n"), 0o644))
	}
	repo := open(t, root)
	tree := checkout(t, repo, snap(t, repo, nil))
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Create, Path: "new.go", After: "package x\n"},
		{Kind: patch.Delete, Path: "gone.go", Before: "package x\n"},
	}}))
	require.NoError(t, os.WriteFile(filepath.Join(tree.Dir(), "coverage.out"), []byte("mode: set\n"), 0o644))
	paths, err := tree.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a.go", "b.go", "new.go"}, paths)
}
