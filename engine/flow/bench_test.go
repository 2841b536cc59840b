package flow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

// BenchmarkBench_Step is a journaled step: its begin, and its result on the disk, which is to take at most 0.5 ms p50 where
// the disk takes less for one append and fsync, measured in turn with it.
func BenchmarkBench_Step(b *testing.B) {
	s := openStore(b, filepath.Join(b.TempDir(), "runs.db"), flow.Options{})
	var performed counter
	l := begin(b, s, "r1")
	f := flow.New(l, performed.workers(), flow.DriverOptions{})
	anchor, err := os.Create(filepath.Join(b.TempDir(), "anchor"))
	require.NoError(b, err)
	defer anchor.Close()
	page := make([]byte, 4096)
	input := `{"text": "` + string(make([]byte, 0)) + `what a model is given"}`
	var steps, syncs []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		_, err := f.Do(b.Context(), call(fmt.Sprint(i), "echo", input))
		steps = append(steps, time.Since(began))
		require.NoError(b, err)
		began = time.Now()
		_, err = anchor.Write(page)
		require.NoError(b, err)
		require.NoError(b, anchor.Sync())
		syncs = append(syncs, time.Since(began))
	}
	b.ReportMetric(median(steps), "step-p50-ms")
	b.ReportMetric(median(syncs), "fsync-p50-ms")
	require.NoError(b, l.End(b.Context(), flow.Done, "", nil))
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2]) / float64(time.Millisecond)
}

// BenchmarkBench_StepsSideBySide is a step of sixteen that are journaled side by side: they share the wait for the disk.
func BenchmarkBench_StepsSideBySide(b *testing.B) {
	s := openStore(b, filepath.Join(b.TempDir(), "runs.db"), flow.Options{})
	var performed counter
	l := begin(b, s, "r1")
	f := flow.New(l, performed.workers(), flow.DriverOptions{})
	var n atomic.Int64
	for b.Loop() {
		calls := make([]flow.Call, 16)
		for i := range calls {
			calls[i] = flow.Call{Node: "n", Name: fmt.Sprint(n.Add(1)), Do: "echo", Input: json.RawMessage(`1`)}
		}
		for _, r := range flow.SideBySide(b.Context(), f, calls) {
			require.NoError(b, r.Err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(n.Load())/1e6, "ms/step")
	require.NoError(b, l.End(b.Context(), flow.Done, "", nil))
}
