package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrust_PersistsAcrossProcesses(t *testing.T) {
	t.Parallel()
	store, folder := Trust{Dir: filepath.Join(t.TempDir(), "state", "trust")}, t.TempDir()
	trusted, err := store.Trusted(folder)
	require.NoError(t, err)
	require.False(t, trusted, "the user was not asked yet")

	require.NoError(t, store.Add(folder, Execute))
	trusted, err = Trust{Dir: store.Dir}.Trusted(folder)
	require.NoError(t, err)
	require.True(t, trusted, "another process knows it too")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(folder, link))
	trusted, err = store.Trusted(link)
	require.NoError(t, err)
	require.True(t, trusted, "it is the same folder")
}

func TestTrust_ReplacedFolderIsUntrusted(t *testing.T) {
	t.Parallel()
	store := Trust{Dir: t.TempDir()}
	folder := filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, store.Add(folder, Execute))
	require.NoError(t, os.Rename(folder, folder+".old"))
	require.NoError(t, os.Mkdir(folder, 0o755))
	trusted, err := store.Trusted(folder)
	require.NoError(t, err)
	require.False(t, trusted)
}

func TestTrust_DamagedRecordIsIgnored(t *testing.T) {
	t.Parallel()
	store, folder := Trust{Dir: t.TempDir()}, t.TempDir()
	require.NoError(t, store.Add(folder, Execute))
	files, err := filepath.Glob(filepath.Join(store.Dir, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o600))
	trusted, err := store.Trusted(folder)
	require.NoError(t, err)
	require.False(t, trusted)
}

func TestTrust_RejectsAnythingButAFolder(t *testing.T) {
	t.Parallel()
	store := Trust{Dir: t.TempDir()}
	require.Error(t, store.Add(filepath.Join(t.TempDir(), "gone"), Execute))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, store.Add(file, Execute), "not a folder")
}

func TestTrust_HasTwoLevels(t *testing.T) {
	t.Parallel()
	store, folder := Trust{Dir: filepath.Join(t.TempDir(), "trust")}, t.TempDir()
	require.NoError(t, store.Add(folder, Read))
	level, err := store.Level(folder)
	require.NoError(t, err)
	require.Equal(t, Read, level)
	trusted, err := store.Trusted(folder)
	require.NoError(t, err)
	require.False(t, trusted, "nothing of it may be executed")
	require.NoError(t, store.Add(folder, Execute))
	trusted, err = store.Trusted(folder)
	require.NoError(t, err)
	require.True(t, trusted)
}

func TestTrust_IsListedAndRemoved(t *testing.T) {
	t.Parallel()
	store, root := Trust{Dir: filepath.Join(t.TempDir(), "trust")}, t.TempDir()
	real, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	for name, level := range map[string]Level{"a": Execute, "b": Read, "gone": Execute} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o755))
		require.NoError(t, store.Add(filepath.Join(root, name), level))
	}
	require.NoError(t, os.Remove(filepath.Join(root, "gone")))
	all, err := store.List()
	require.NoError(t, err)
	require.Equal(t, []TrustedFolder{
		{Path: filepath.Join(real, "a"), Level: Execute}, {Path: filepath.Join(real, "b"), Level: Read}, {Path: filepath.Join(real, "gone"), Level: Execute, Gone: true},
	}, all)
	for _, name := range []string{"a", "gone"} {
		known, err := store.Remove(filepath.Join(real, name))
		require.NoError(t, err)
		require.True(t, known, name)
	}
	known, err := store.Remove(filepath.Join(root, "a"))
	require.NoError(t, err)
	require.False(t, known)
	trusted, err := store.Trusted(filepath.Join(root, "a"))
	require.NoError(t, err)
	require.False(t, trusted)
}
