package mmx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/mmx"
)

func TestScratch_TheKeyStaysOffTheDiskWhereThatIsPossible(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	memory := t.TempDir()
	for runtime, want := range map[string]string{
		"XDG_RUNTIME_DIR=" + memory:             memory,
		"XDG_RUNTIME_DIR=" + memory + "/is/not": os.TempDir(),
		"XDG_RUNTIME_DIR=relative":              os.TempDir(),
		"NONE=":                                 os.TempDir(),
	} {
		o := f.options()
		o.Scratch = ""
		o.Environ = append(o.Environ, "XDG_RUNTIME_DIR=", runtime)
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.NoError(t, err)
		used := ""
		for entry := range strings.SplitSeq(f.seen("env"), "\n") {
			if path, found := strings.CutPrefix(entry, "MMX_CONFIG_DIR="); found {
				used = path
			}
		}
		require.Equal(t, filepath.Clean(want), filepath.Dir(filepath.Dir(used)), runtime)
		require.NoDirExists(t, filepath.Dir(used))
	}
}

// TestScratch_RemovesLeftoversOfAKilledProcess has the folder of a call that never came back, and what must stay.
func TestScratch_RemovesLeftoversOfAKilledProcess(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	left := filepath.Join(f.scratch, "forge-mmx-1", ".mmx")
	running := filepath.Join(f.scratch, "forge-mmx-2")
	others := filepath.Join(f.scratch, "mine")
	for _, dir := range []string{left, running, others} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(left, "config.json"), []byte(key), 0o600))
	link := filepath.Join(f.scratch, "forge-mmx-3")
	require.NoError(t, os.Symlink(others, link))
	long := time.Now().Add(-3 * time.Hour)
	for _, dir := range []string{filepath.Dir(left), others} {
		require.NoError(t, os.Chtimes(dir, long, long))
	}
	_, err := f.complete(ask())
	require.NoError(t, err)
	require.NoDirExists(t, left)
	require.DirExists(t, running)
	require.DirExists(t, others)
	_, err = os.Lstat(link)
	require.NoError(t, err)
}
