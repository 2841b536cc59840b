package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetMode_ChangesFilesOfTheFolderAlone(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	put(t, outside, "secret", "x")
	put(t, root, "real/run.sh", "x")
	put(t, root, ".git/hooks/pre-commit", "x")
	for link, to := range map[string]string{"dir": "real", "leak": filepath.Join(outside, "secret"), "leakdir": outside, "hooks": ".git/hooks"} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
	}
	require.Equal(t, fs.FileMode(0o600), ModeOf(root, "dir/run.sh"))
	require.NoError(t, SetMode(root, "dir/run.sh", fs.ModeSetuid|0o750))
	require.Equal(t, fs.FileMode(0o750), ModeOf(root, "real/run.sh"))
	git, beforeOutside := tree(t, filepath.Join(root, ".git")), tree(t, outside)
	for _, name := range []string{"", "../x", "none", "real", "leak", "leakdir/secret", "hooks/pre-commit", ".git/hooks/pre-commit"} {
		require.Zero(t, ModeOf(root, name), name)
		require.Error(t, SetMode(root, name, 0o777), name)
	}
	require.Equal(t, git, tree(t, filepath.Join(root, ".git")))
	require.Equal(t, beforeOutside, tree(t, outside))
}
