package engine

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/history"
	"forge/memory"
)

// Memory deletes a run's data a day after its end, and keeps the last ten versions of the specification, unprompted: once a day, when a
// run ends.
func TestMemory_IsCollectedOnceADay(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass+"\n- {match: {node: orchestrator}, times: 6, reply: {text: well}}")
	begin := time.Now()
	var later atomic.Int64
	d.now = func() time.Time { return begin.Add(time.Duration(later.Load())) }
	e := d.open()
	require.Equal(t, event.Succeeded, d.wait(d.start(e)).State)
	m, err := e.Memory(t.Context(), d.root)
	require.NoError(t, err)
	for range 12 {
		_, err := m.SaveSpec(t.Context(), memory.Spec{Text: "b is one two\n", Source: memory.Source{Origin: memory.User}})
		require.NoError(t, err)
	}
	kept := func() (files, spec error) {
		_, files = m.Read(t.Context(), memory.Mid, "executor", "last_files_generated")
		_, spec = m.Spec(t.Context(), 2)
		return files, spec
	}

	later.Store(int64(23 * time.Hour))
	require.Equal(t, event.Blocked, d.wait(d.start(e)).State)
	files, spec := kept()
	require.NoError(t, files, "the day is not over")
	require.NoError(t, spec)

	later.Store(int64(25 * time.Hour))
	require.Equal(t, event.Blocked, d.wait(d.start(e)).State)
	files, spec = kept()
	require.ErrorIs(t, files, memory.ErrNotFound)
	require.Error(t, spec)
	_, err = m.Spec(t.Context(), 3)
	require.NoError(t, err, "the last ten")
}

// After a run has ended, a shadow that takes too much of the disk is cleaned up.
func TestShadow_IsCollectedAfterARun(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass+"\n- {match: {node: orchestrator}, times: 3, reply: {text: well}}")
	begin := time.Now()
	var later atomic.Int64
	d.now = func() time.Time { return begin.Add(time.Duration(later.Load())) }
	notices := make(chan string, 100)
	d.notice = func(text string) { notices <- text }
	first := d.open()
	require.Equal(t, event.Succeeded, d.wait(d.start(first)).State)
	first.Close() // waits for what follows the end of the run
	objects, err := filepath.Glob(filepath.Join(d.state, "shadow", "*", "*", "objects"))
	require.NoError(t, err)
	require.Len(t, objects, 1)
	left := filepath.Join(objects[0], ".tmp-left") // by a git that was killed
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	require.NoError(t, os.Truncate(left, 2*history.DefaultQuota)) // without blocks on the disk

	later.Store(int64(25 * time.Hour))
	require.Equal(t, event.Blocked, d.wait(d.start(d.open())).State)
	for !strings.Contains(<-notices, "nothing needs were removed") {
	}
	require.NoFileExists(t, left)
}
