package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSnapshot_ReadsBuffersOverDisk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "saved.txt", "disk")
	put(t, root, "open.txt", "disk")
	s := Snapshot{Root: root, Unsaved: map[string]Document{
		"open.txt":     {Path: "open.txt", Text: "buffer"},
		"new/file.txt": {Path: "new/file.txt", Text: "never saved"},
		"empty.txt":    {Path: "empty.txt"},
	}}
	for path, want := range map[string]string{
		"saved.txt": "disk", "open.txt": "buffer", "new/file.txt": "never saved", "empty.txt": "",
	} {
		got, err := s.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(got), path)
	}
	_, err := s.ReadFile("missing.txt")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestSnapshot_StaysInItsFolder(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	put(t, outside, "secret", "secret")
	put(t, root, "inside", "inside")
	put(t, root, ".git/config", "[core]")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "leak")))
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "leakdir")))
	require.NoError(t, os.Symlink("inside", filepath.Join(root, "link")))
	s := Snapshot{Root: root}
	for _, path := range []string{"../secret", "leak", "leakdir/secret", ".git/config", "."} {
		got, err := s.ReadFile(path)
		require.Error(t, err, path)
		require.NotErrorIs(t, err, fs.ErrNotExist, path)
		require.Empty(t, got, path)
	}
	got, err := s.ReadFile("link")
	require.NoError(t, err)
	require.Equal(t, "inside", string(got))
}

func TestSnapshot_OfAMissingFolder(t *testing.T) {
	t.Parallel()
	_, err := Snapshot{Root: filepath.Join(t.TempDir(), "gone")}.ReadFile("a")
	require.ErrorContains(t, err, "does not exist")
}
