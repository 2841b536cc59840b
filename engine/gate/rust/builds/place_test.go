package builds

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Build products of the tree itself are removed before each gate; those of downloaded crates stay.
func TestForget_RemovesBuildsOfTheTree(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "target")
	own := []string{"debug/.fingerprint/libmine-0123456789abcdef/x", "debug/deps/libmine-0123456789abcdef", "debug/deps/liblibmine-0123456789abcdef.rlib", "debug/.fingerprint/my-crate-0123456789abcdef/x", "debug/deps/my_crate-0123456789abcdef", "debug/deps/libmy_crate-0123456789abcdef.rlib", "x86_64/release/build/my-crate-0123456789abcdef/out"}
	others := []string{"debug/.fingerprint/my-crate-derive-0123456789abcdef/x", "debug/deps/libserde-0123456789abcdef.rlib", "debug/deps/libmy_crate2-0123456789abcdef.rmeta", "CACHEDIR.TAG", "debug/incremental/x/y", "debug/deps/libmy_crate-00000000000000ff.rlib"}
	for _, name := range append(own, others...) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(target, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(target, name), nil, 0o600))
	}
	elsewhere := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(elsewhere, "debug", "deps"), 0o755))
	theirs := filepath.Join(elsewhere, "debug", "deps", "my_crate-0123456789abcdef")
	require.NoError(t, os.WriteFile(theirs, nil, 0o600))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(target, "linked")))
	Spare(target, []string{"00000000000000ff"})
	require.NoError(t, forget(target, map[string]bool{"my_crate": true, "libmine": true}))
	require.FileExists(t, theirs, "code of the tree may make links")
	for _, name := range own {
		require.NoFileExists(t, filepath.Join(target, name))
	}
	for _, name := range others {
		require.FileExists(t, filepath.Join(target, name))
	}
	require.NoError(t, forget(filepath.Join(target, "none"), nil))
}

func TestPlace_BelongsToATree(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	a, err := place(dir("/a"), cache)
	require.NoError(t, err)
	again, err := place(dir("/a/"), cache)
	require.NoError(t, err)
	require.Equal(t, a, again, "warm")
	require.NoError(t, os.Chtimes(filepath.Join(a, usedFile), time.Now(), time.Now().Add(-keepFor-time.Hour)))
	b, err := place(dir("/b"), cache)
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	require.NoDirExists(t, a, "it was not used for long")
	require.DirExists(t, b)
}

// Tests get no incremental data, and what they write in its place is not compiled with.
func TestIncrementalData_IsOutOfReachOfTests(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "target")
	data := filepath.Join(target, "debug", incremental)
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	put(filepath.Join(data, "m-1", "graph"), "true")
	put(filepath.Join(target, "x86_64", "debug", incremental, "m-2", "graph"), "true")
	require.NoError(t, PutAside(target))
	require.NoDirExists(t, data)
	put(filepath.Join(data, "m-1", "graph"), "forged")
	elsewhere := t.TempDir()
	require.NoError(t, os.RemoveAll(filepath.Join(target, "x86_64")))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(target, "x86_64")))
	require.NoError(t, os.Mkdir(filepath.Join(elsewhere, "debug"), 0o755))
	require.NoError(t, takeBack(target))
	text, err := os.ReadFile(filepath.Join(data, "m-1", "graph"))
	require.NoError(t, err)
	require.Equal(t, "true", string(text))
	require.NoDirExists(t, filepath.Join(elsewhere, "debug", incremental), "a link leads nowhere")
	require.NoError(t, takeBack(target), "a second time")
	require.DirExists(t, data)
}
