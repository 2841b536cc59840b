package pipeline

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/flow"
)

// BenchmarkRun is a whole run with a model and gates that take no time: what is left is the engine and its
// journal, on disk.
func BenchmarkRun(b *testing.B) {
	store, err := flow.OpenStore(b.Context(), filepath.Join(b.TempDir(), "runs.db"), flow.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, store.Close()) }()
	steps := 0
	for i := range b.N {
		b.StopTimer()
		e := newEpisode(b, decideExecutor+writeTests+writeRight+reviewPass)
		lease, err := store.Begin(b.Context(), flow.NewRun{ID: fmt.Sprint(i), Kind: "bench", Input: []byte("{}")})
		require.NoError(b, err)
		e.env.Flow = flow.New(lease, e.workers(), flow.DriverOptions{})
		b.StartTimer()
		result := Run(b.Context(), e.env, e.task)
		b.StopTimer()
		require.Equal(b, event.Succeeded, result.State, result.Reason)
		require.NoError(b, lease.End(b.Context(), flow.Done, "", nil))
		kept, err := store.Steps(b.Context(), fmt.Sprint(i))
		require.NoError(b, err)
		steps = len(kept)
		b.StartTimer()
	}
	b.ReportMetric(float64(steps), "steps/op")
}
