package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/workspace"
)

func TestMatching_TakesTheFolderAsItIs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*?")
	none, err := workspace.Matching(dir, "*/*.json")
	require.NoError(t, err)
	require.Empty(t, none)
	file := filepath.Join(dir, "sub", "x.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	found, err := workspace.Matching(dir, "*/*.json")
	require.NoError(t, err)
	require.Equal(t, []string{file}, found)
	_, err = workspace.Matching(dir, "[")
	require.Error(t, err)
}
