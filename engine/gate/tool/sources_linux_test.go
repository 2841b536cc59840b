package tool

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a tree nothing is read that a link leads out to, nothing that never ends, and no more than a bounded number of bytes.
func TestSources_DoNotLeadOutOfATree(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.go")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	dir := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.go")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.go"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.go"), make([]byte, 2*maxSource), 0o600))
	s := SourcesOf(tree(dir))
	require.Nil(t, s.Read("link.go"))
	require.Nil(t, s.Read("pipe.go"))
	require.Nil(t, s.Read("../"+filepath.Base(filepath.Dir(outside))))
	require.Len(t, s.Read("long.go"), maxSource)
	require.Equal(t, []string{"long.go"}, s.Below(".", func(string) bool { return true }))
	s.left = 10
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.go"), make([]byte, 20), 0o600))
	require.Len(t, s.Read("more.go"), 10)
	require.Empty(t, s.Read("pipe.go"))
}

// tree is a folder.
type tree string

func (t tree) Dir() string { return string(t) }
