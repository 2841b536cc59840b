package state

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

// A line that a killed process left torn is lost; what comes before and after it is not.
func TestEvents_ATornLineCostsOneEvent(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "r-1.jsonl")
	log := event.NewLog("r-1", time.Now)
	for range 3 {
		log.Append(event.GateStarted{Gate: "g"})
	}
	write := func(events ...event.Event) {
		file, err := OpenEvents(name)
		require.NoError(t, err)
		for _, e := range events {
			require.NoError(t, file.Append(e))
		}
		require.NoError(t, file.Close())
	}
	write(log.Since(0)[:2]...)
	info, err := os.Stat(name)
	require.NoError(t, err)
	for cut := int64(1); cut < info.Size()/2; cut++ {
		require.NoError(t, os.Truncate(name, info.Size()-cut))
		write(log.Since(2)...)
		events, err := ReadEvents(name)
		require.NoError(t, err)
		want := 2
		if cut == 1 {
			want = 3 // only the end of the line was torn off
		}
		require.Len(t, events, want, "%d bytes", cut)
		for i, e := range events {
			require.Equal(t, i+1, e.Seq)
		}
		require.NoError(t, os.Remove(name))
		write(log.Since(0)[:2]...)
	}
	none, err := ReadEvents(filepath.Join(t.TempDir(), "none.jsonl"))
	require.NoError(t, err)
	require.Empty(t, none)
}
