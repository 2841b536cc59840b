//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All that Forge keeps is for its user alone, also in a folder that was there before and that others could enter.
func TestState_IsClosedToOthers(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	require.NoError(t, os.Chmod(w.home, 0o755)) //nolint:gosec // as a user made it
	for _, args := range [][]string{{"search", "sum"}, {"validate", "--trust", "--gate", "gofmt"}} {
		code, stdout, stderr := w.run(args...)
		require.Zero(t, code, stdout+stderr)
	}
	info, err := os.Stat(w.home)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	kept := 0
	require.NoError(t, filepath.WalkDir(w.home, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if strings.Contains(path, "/pool/") || strings.Contains(path, "/trees/") || strings.Contains(path, "/caches/") || e.Type()&fs.ModeSymlink != 0 {
			return nil // copies of the user's files have the modes of those
		}
		info, err := e.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		kept++
		return nil
	}))
	require.Greater(t, kept, 10)
}
