package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/shadow"
)

// A line that a killed process left torn is lost; what comes before and after it is not.
func TestATornLineCostsOneEvent(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "r-1.jsonl")
	log := event.NewLog("r-1", time.Now)
	for range 3 {
		log.Append(event.GateStarted{Gate: "g"})
	}
	write := func(events ...event.Event) {
		file, err := openEvents(name)
		require.NoError(t, err)
		for _, e := range events {
			require.NoError(t, file.append(e))
		}
		require.NoError(t, file.close())
	}
	write(log.Since(0)[:2]...)
	info, err := os.Stat(name)
	require.NoError(t, err)
	for cut := int64(1); cut < info.Size()/2; cut++ {
		require.NoError(t, os.Truncate(name, info.Size()-cut))
		write(log.Since(2)...)
		events, err := readEvents(name)
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
	none, err := readEvents(filepath.Join(t.TempDir(), "none.jsonl"))
	require.NoError(t, err)
	require.Empty(t, none)
}

// What cannot be part of the snapshot is told before anything is made of it.
func TestFilesThatAreLeftOutAreTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sayExecutor+sayTests+sayRight+sayPass)
	file, err := os.Create(filepath.Join(d.root, "big"))
	require.NoError(t, err)
	require.NoError(t, file.Truncate(shadow.MaxFileSize+1))
	require.NoError(t, file.Close())
	run := d.start(d.open())
	require.Equal(t, event.Succeeded, d.wait(run).State)
	told := run.Log.Since(0)[1].Data
	require.IsType(t, event.FilesSkipped{}, told)
	require.Equal(t, "big", told.(event.FilesSkipped).Files[0].Path)
}
