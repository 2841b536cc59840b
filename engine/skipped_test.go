package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/shadow"
)

func TestRun_ReportsFilesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
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
