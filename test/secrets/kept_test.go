package secrets

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// patiently has code written by batch in a world.
func (w *world) patiently() {
	w.t.Helper()
	name := filepath.Join(w.home, "config.yaml")
	settings, err := os.ReadFile(name)
	require.NoError(w.t, err)
	more := "models: {delivery: {generation: batch}}\n"
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

// run asks for a change by batch, and is killed when the provider has the batch: its answers are fetched without it.
func (w *world) runByBatch() {
	t := w.t
	w.patiently()
	code, out := w.runWith([]string{"FORGE_FAILPOINT=batch.job.accepted.kept"},
		"run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund; the token "+w.canary("GITHUB_TOKEN")+" must not matter")
	require.Equal(t, -1, code, "it was killed: %s\n%s", out, w.output())
	code, out = w.run("batch", "poll", "--json")
	require.Zero(t, code, "%s\n%s", out, w.output())
	require.Contains(t, out, `"answered":1`)
}

// Requests that wait for a batch are kept, and so are answers: in databases of all folders.
func TestCanaries_BatchesStoreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, byBatch)
	w.runByBatch()
	for _, args := range [][]string{{"batch", "list"}, {"batch", "list", "--json"}, {"runs"}, {"cost"}, {"cost", "--json"}, {"doctor"}} {
		w.run(args...)
	}
	require.Contains(t, string(w.database("batch.db")), "[redacted: ", "the request is kept, with marks")
	require.Empty(t, table(w.found()))
}

// The same with the redactor off: the requests in the database are looked at.
func TestCanaries_ScanFindsBatchesWithoutRedaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, blind, byBatch)
	w.runByBatch()
	require.Greater(t, len(look(w.canaries, "batch.db", string(w.database("batch.db")))), 40, w.output())
}
