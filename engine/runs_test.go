package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/pipeline"
	"forge/engine/state"
)

// withoutSummaries makes the runs of a folder as an older version of Forge has left them.
func withoutSummaries(t *testing.T, e *Engine, root string) {
	t.Helper()
	p, err := e.state.Project(root)
	require.NoError(t, err)
	store, err := p.Store()
	require.NoError(t, err)
	runs, err := store.Runs(t.Context(), flow.Filter{})
	require.NoError(t, err)
	for _, r := range runs {
		require.NotEmpty(t, r.Summary)
		require.NoError(t, store.Summarize(t.Context(), r.ID, nil))
	}
}

func TestRuns_ListsWithoutReadingEvents(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	e := d.open()
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State)
	want := d.only()
	require.Equal(t, event.Succeeded, want.State)
	require.Equal(t, 2, want.Files)
	require.NotZero(t, want.Tokens)
	require.NotEmpty(t, want.Base)
	require.Equal(t, "balanced", want.Way.Mode)
	p, err := e.state.Project(d.root)
	require.NoError(t, err)
	text, err := os.ReadFile(p.EventsFile(run.ID))
	require.NoError(t, err)
	require.NoError(t, os.Remove(p.EventsFile(run.ID)))
	require.Equal(t, want, d.only())

	require.NoError(t, os.WriteFile(p.EventsFile(run.ID), text, 0o600))
	withoutSummaries(t, e, d.root)
	fromEvents := d.only()
	require.WithinDuration(t, want.Active, fromEvents.Active, time.Second)
	fromEvents.Active, want.Decision = want.Active, "" // older versions did not keep it
	require.Equal(t, want, fromEvents, "a run of an older version is summarized from its events")
	require.NoError(t, os.Remove(p.EventsFile(run.ID)))
	require.Equal(t, want.Tokens, d.only().Tokens, "once")
}

// BenchmarkRuns lists 1,000 runs of 200 events each: at most 50 ms. Reading the events of one of them is its anchor.
func BenchmarkRuns(b *testing.B) {
	e, root := benchedRuns(b, 1000, 200)
	var took time.Duration
	for b.Loop() {
		began := time.Now()
		runs, err := e.Runs(b.Context(), root)
		took += time.Since(began)
		require.NoError(b, err)
		require.Len(b, runs, 1000)
	}
	p, err := e.state.Project(root)
	require.NoError(b, err)
	began := time.Now()
	events, err := state.ReadEvents(p.EventsFile("r-0"))
	require.NoError(b, err)
	require.Len(b, events, 200)
	b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms/list")
	b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "ms/events-of-one")
}

// benchedRuns is a folder with runs that have ended.
func benchedRuns(b *testing.B, runs, events int) (*Engine, string) {
	b.Helper()
	root := b.TempDir()
	e := New(Options{StateDir: b.TempDir()})
	b.Cleanup(e.Close)
	p, err := e.state.Project(root)
	require.NoError(b, err)
	store, err := p.Store()
	require.NoError(b, err)
	input, err := json.Marshal(execution.Params{Task: "do it", Root: root})
	require.NoError(b, err)
	for i := range runs {
		id := fmt.Sprintf("r-%d", i)
		lease, err := store.Begin(context.Background(), flow.NewRun{ID: id, Kind: execution.KindOfRun, Folder: root, Title: "do it", Input: input})
		require.NoError(b, err)
		log := event.NewLog(id, time.Now)
		log.Append(event.GraphBuilt{Base: "f00"})
		for range events - 1 {
			log.Append(event.GateStarted{Node: "review", Gate: "go test"})
		}
		file, err := state.OpenEvents(p.EventsFile(id))
		require.NoError(b, err)
		for _, ev := range log.Since(0) {
			require.NoError(b, file.Append(ev))
		}
		require.NoError(b, file.Close())
		summary := history.Summarize(event.Way{}, log.Since(0)).Summary
		summary.State = event.Succeeded
		kept, err := json.Marshal(summary)
		require.NoError(b, err)
		require.NoError(b, lease.Summarize(b.Context(), kept))
		result, err := json.Marshal(execution.Outcome{Result: pipeline.Result{State: event.Succeeded}})
		require.NoError(b, err)
		require.NoError(b, lease.End(b.Context(), flow.Done, "", result))
	}
	return e, root
}
