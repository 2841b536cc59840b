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

	require.NoError(t, store.Add(folder))
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
	require.NoError(t, store.Add(folder))
	require.NoError(t, os.Rename(folder, folder+".old"))
	require.NoError(t, os.Mkdir(folder, 0o755))
	trusted, err := store.Trusted(folder)
	require.NoError(t, err)
	require.False(t, trusted)
}

func TestTrust_DamagedRecordIsIgnored(t *testing.T) {
	t.Parallel()
	store, folder := Trust{Dir: t.TempDir()}, t.TempDir()
	require.NoError(t, store.Add(folder))
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
	require.Error(t, store.Add(filepath.Join(t.TempDir(), "gone")))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, store.Add(file), "not a folder")
}
