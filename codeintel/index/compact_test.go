package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestCompact_KeepsSegmentsFew edits many files one by one: the index has few segments then, and what one has that is built from scratch.
func TestCompact_KeepsSegmentsFew(t *testing.T) {
	t.Parallel()
	root, state := t.TempDir(), t.TempDir()
	x := open(t, root, state)
	for i := range 70 {
		name := fmt.Sprintf("f%d.go", i)
		write(t, root, name, fmt.Sprintf("package f\n\nfunc Of%d() { shared() }\n", i))
		x.Changed(name)
		require.NoError(t, x.Wait(t.Context()))
	}
	require.Less(t, x.Segments(), 2*2*8, "words and names, of two sizes")
	require.Empty(t, cmp.Diff(fresh(t, root), x.dump()))
	require.NoError(t, x.Close())
	require.Less(t, countRows(t, filepath.Join(state, "index.db"), "segments"), 2*8)
	x = open(t, root, state)
	require.Empty(t, cmp.Diff(fresh(t, root), x.dump()))
}

// TestCompact_DropsWhatDoesNotCount changes most files of a segment: the others move to another one.
func TestCompact_DropsWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	root, state := tree(t, 100), t.TempDir()
	x := open(t, root, state)
	x.dump()
	for i := range 60 {
		require.NoError(t, os.Remove(filepath.Join(root, fmt.Sprintf("d%d/f%d.go", i%5, i))))
	}
	require.NoError(t, x.Refresh(t.Context()))
	require.Empty(t, cmp.Diff(fresh(t, root), x.dump()))
	require.NoError(t, x.Close())
	x = open(t, root, state)
	require.Empty(t, cmp.Diff(fresh(t, root), x.dump()))
}
