package history

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watched begins to watch files in an empty folder; only a write, or ctx, ends its waits.
func watched(t *testing.T) (w *watch, dir string) {
	t.Helper()
	dir = t.TempDir()
	w = watchFiles(filepath.Join(dir, "r-1.jsonl"), filepath.Join(dir, "runs.db"))
	t.Cleanup(w.stop)
	require.NotNil(t, w.files, "this system reports writes")
	w.ticker.Reset(time.Hour)
	return w, dir
}

func TestWatch_WakesOnAWrite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"r-1.jsonl", "runs.db", "runs.db-wal"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, dir := watched(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
			require.True(t, w.wait(t.Context()))
		})
	}
}

func TestWatch_SleepsThroughOtherRuns(t *testing.T) {
	t.Parallel()
	w, dir := watched(t)
	ctx, cancel := context.WithCancel(t.Context())
	woken := make(chan bool)
	go func() { woken <- w.wait(ctx) }()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r-2.jsonl"), []byte("x"), 0o600))
	cancel()
	require.False(t, <-woken)
}

func TestWatch_PollsWithoutNotifications(t *testing.T) {
	t.Parallel()
	w := watchFiles(filepath.Join(t.TempDir(), "none", "r-1.jsonl"), "runs.db")
	defer w.stop()
	require.Nil(t, w.files)
	require.True(t, w.wait(t.Context()))
}
