package engine

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
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
