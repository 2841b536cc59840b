package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/workspace"
)

// A shadow that takes too much of the disk is cleaned up, once a day; a smaller one is left alone.
func TestGCShadow_MakesRoomOnceADay(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	l, root := open(t, func() time.Time { return clock })
	h := New(l.state, l, Code{})
	_, err := l.Repo(t.Context(), root)
	require.NoError(t, err)
	dir, err := workspace.ProjectDir(l.state.Dir(), root)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o700)) // as by a run
	objects, err := workspace.Matching(l.state.Path("shadow", filepath.Base(dir)), "*/objects")
	require.NoError(t, err)
	require.Len(t, objects, 1)
	left := filepath.Join(objects[0], ".tmp-left") // by a git that was killed
	grow := func(size int64) {
		require.NoError(t, os.WriteFile(left, nil, 0o600))
		require.NoError(t, os.Truncate(left, size)) // without blocks on the disk
	}
	grow(DefaultQuota / 2)
	h.GCShadow(t.Context(), root)
	require.FileExists(t, left)
	grow(2 * DefaultQuota)
	h.GCShadow(t.Context(), root)
	require.FileExists(t, left, "on the same day")
	clock = clock.Add(25 * time.Hour)
	h.GCShadow(t.Context(), root)
	require.NoFileExists(t, left)
}
