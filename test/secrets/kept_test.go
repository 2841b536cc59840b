package secrets

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// patiently has all models of a world asked by batch.
func (w *world) patiently() {
	w.t.Helper()
	name := filepath.Join(w.home, "config.yaml")
	settings, err := os.ReadFile(name)
	require.NoError(w.t, err)
	more := "models: {delivery: {reasoning: batch, generation: batch, summarisation: batch, classification: batch}}\n"
	require.NoError(w.t, os.WriteFile(name, append(settings, more...), 0o600))
}

// database is what a database of all folders has, as bytes.
func (w *world) database(name string) []byte {
	w.t.Helper()
	var all []byte
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(filepath.Join(w.home, "global", name+end))
		if !os.IsNotExist(err) {
			require.NoError(w.t, err)
		}
		all = append(all, text...)
	}
	return all
}

// Requests that wait for a batch are kept, and so are answers: in databases of all folders.
func TestBatchesAndTheCacheKeepNoCanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, byBatch)
	w.patiently()
	for range 2 { // the second time from the cache, where it can
		code, out := w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund; the token "+w.canary("GITHUB_TOKEN")+" must not matter")
		require.Zero(t, code, "%s\n%s", out, w.output())
		w.run("undo")
	}
	for _, args := range [][]string{{"batch", "list"}, {"batch", "list", "--json"}, {"batch", "poll"}, {"cost"}, {"cost", "--json"}, {"doctor"}} {
		w.run(args...)
	}
	require.Contains(t, string(w.database("batch.db")), "[redacted: GITHUB_TOKEN]", "requests are kept, with marks")
	require.Contains(t, string(w.database("cache.db")), "It refunds.", "answers are kept")
	require.Empty(t, table(w.found()))
}

// The same with the redactor off: the requests in the database are looked at.
func TestTheScanFindsWhatABatchKeeps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, blind, byBatch)
	w.patiently()
	w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund; the token "+w.canary("GITHUB_TOKEN")+" must not matter")
	require.Contains(t, table(look(w.canaries, "batch.db", string(w.database("batch.db")))), "GITHUB_TOKEN", w.output())
}
