package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// byBatch is a script for requests that come in a batch: they do not say which node asks.
func byBatch(entries string) string {
	return strings.NewReplacer(
		"node: orchestrator", "contains: [You decide how a request]", "node: executor, ", "", "node: review", "contains: [You review a change]",
	).Replace(entries)
}

// patientWorld is a world whose models are all asked by batch.
func patientWorld(t *testing.T, entries string) *world {
	t.Helper()
	w := scripted(t, byBatch(entries), sumModule())
	settings := "models: {delivery: {reasoning: batch, generation: batch, summarisation: batch, classification: batch}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(settings), 0o600))
	return w
}

// untilSubmitted reads events until a provider has a batch.
func (l *live) untilSubmitted() {
	l.t.Helper()
	for {
		var waits struct{ State string }
		require.NoError(l.t, json.Unmarshal(l.until("batch").Data, &waits))
		if waits.State == "submitted" {
			return
		}
	}
}

// batches is forge batch with some arguments.
func (w *world) batches(args ...string) (all []map[string]any) {
	w.t.Helper()
	code, stdout, stderr := w.run(append([]string{"batch"}, append(args, "--json")...)...)
	require.Zero(w.t, code, stderr)
	var result struct{ Batches []map[string]any }
	require.NoError(w.t, json.Unmarshal([]byte(stdout), &result), stdout)
	return result.Batches
}

// A run that waits for batches is killed in each of its waits. The answers arrive without it, and each time it continues where it
// was: it ends with the same result, and requests nothing twice.
func TestBatchRun_SurvivesAKillInEachWait(t *testing.T) {
	t.Parallel()
	w := patientWorld(t, whole)
	require.Empty(t, w.batches("list"))
	l := w.start("add Add")
	const calls = 4
	for n := 1; n <= calls; n++ {
		l.untilSubmitted()
		l.signal(syscall.SIGKILL)
		code, _ := l.end()
		require.Equal(t, -1, code)

		_, runs, _ := w.run("runs")
		require.Contains(t, runs, "interrupted (waiting: batch ") // its name is known, unless the kill was faster than the file of events
		open := w.batches("list", "--open")
		require.Len(t, open, 1)
		require.Equal(t, "submitted", open[0]["state"])
		require.EqualValues(t, 0, open[0]["answered"])
		polled := w.batches("poll")
		require.Len(t, polled, 1)
		require.Equal(t, "ended", polled[0]["state"])
		require.EqualValues(t, 1, polled[0]["answered"])
		require.Empty(t, w.batches("poll"), "there is nothing more to ask")
		l = w.launch("resume", "--yes", "--json")
	}
	code, rest := l.end()
	require.Zero(t, code, rest+l.stderr.String())
	require.FileExists(t, filepath.Join(w.root, "add.go"))
	all := w.batches("list")
	require.Len(t, all, calls)
	for _, b := range all {
		require.EqualValues(t, 1, b["items"])
		require.EqualValues(t, 1, b["answered"])
	}
	w.played()

	code, stdout, stderr := w.run("cost", "--json")
	require.Zero(t, code, stderr)
	var cost struct {
		Total struct{ Attempts, HeldTokens int }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &cost))
	require.Equal(t, calls, cost.Total.Attempts, "a wait that goes on is no second call")
	require.Zero(t, cost.Total.HeldTokens)
}

// A run that is cancelled while it waits has its batch cancelled, and leaves nothing to wait for.
func TestBatchRun_CancelCancelsTheBatch(t *testing.T) {
	t.Parallel()
	w := patientWorld(t, decideExecutor)
	l := w.start("add Add")
	l.untilSubmitted()
	l.signal(os.Interrupt)
	code, rest := l.end()
	require.Equal(t, 4, code, rest)
	all := w.batches("list")
	require.Len(t, all, 1)
	require.Equal(t, true, all[0]["cancelled"])
	code, _, stderr := w.run("batch", "poll", "batch_77")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "there is no such batch: forge batch list shows all batches")
}
