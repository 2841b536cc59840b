//go:build unix

package gitdir

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe where git expects a file of the object database is not opened: there is no history then, at once.
func TestCommits_OpensNoPipe(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"info/alternates", "info/commit-graph", "pack/pack-1.idx", "pack/multi-pack-index"} {
		root := threeCommits(t)
		require.NotEmpty(t, pastOf(t, root))
		file := filepath.Join(root, ".git/objects", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, syscall.Mkfifo(file, 0o600))
		require.Empty(t, pastOf(t, root), name)
		require.NoError(t, os.Remove(file))
		require.NotEmpty(t, pastOf(t, root), name)
	}
}
