package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	modeOf := func(name string) fs.FileMode {
		mode, err := ModeOf(root, name)
		require.NoError(t, err, name)
		return mode
	}
	require.Equal(t, fs.FileMode(0o600), modeOf("dir/run.sh"))
	require.NoError(t, SetMode(root, "dir/run.sh", fs.ModeSetuid|0o750))
	require.Equal(t, fs.FileMode(0o750), modeOf("real/run.sh"))
	git, beforeOutside := tree(t, filepath.Join(root, ".git")), tree(t, outside)
	for _, name := range []string{"", "../x", "none", "real", "leak", "leakdir/secret", "hooks/pre-commit", ".git/hooks/pre-commit"} {
		require.Zero(t, modeOf(name), name)
		require.Error(t, SetMode(root, name, 0o777), name)
	}
	require.Equal(t, git, tree(t, filepath.Join(root, ".git")))
	require.Equal(t, beforeOutside, tree(t, outside))
}

func TestModeOf_ReportsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	_, err := ModeOf(t.TempDir(), strings.Repeat("long", 70)) // than file systems allow a name to be
	require.ErrorContains(t, err, "cannot be read: ")
}
