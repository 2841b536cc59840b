package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckRoot_NamesTheFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, CheckRoot(folder))
	require.ErrorIs(t, CheckRoot(filepath.Join(folder, "gone")), os.ErrNotExist)
	require.ErrorContains(t, CheckRoot(filepath.Join(folder, "gone")), "open it again")
	require.ErrorContains(t, CheckRoot(file), "is a file, not a folder")
}
