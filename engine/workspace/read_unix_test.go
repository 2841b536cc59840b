//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// Reading a pipe would wait for a writer for ever.
func TestSnapshot_ReadsNoPipe(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	_, err := Snapshot{Root: root}.ReadFile("pipe")
	var refused *patch.PathError
	require.ErrorAs(t, err, &refused)
}
