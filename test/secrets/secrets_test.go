package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything is what a person may do with the program in an hour: a run whose result is applied, looked at and taken back.
func (w *world) everything() {
	t := w.t
	task := "add a refund; the token " + w.canary("GITHUB_TOKEN") + " must not matter"
	code, out := w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", task)
	require.Zero(t, code, "%s\n%s", out, w.said)
	id := runOf(t, out)
	for _, args := range [][]string{
		{"runs"}, {"runs", "--json"}, {"log", id}, {"events", id}, {"doctor"}, {"checkpoints"}, {"projects"}, {"sessions"},
		{"memory", "set", "note", "the key is " + w.canary("JWT_SECRET") + " and " + w.canary("hard-coded")}, {"memory", "list"}, {"memory", "get", "note"},
		{"memory", "export"}, {"spec", "list"},
	} {
		w.run(args...)
	}
}

func runOf(t *testing.T, out string) string {
	t.Helper()
	_, rest, found := strings.Cut(out, `"runId":"`)
	require.True(t, found, out)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestNoCanaryLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, script)
	require.Equal(t, 50, len(w.canaries))
	w.everything()
	require.Empty(t, table(w.found()))
	now := w.read("pay.go")
	require.Contains(t, now, "func Refund(cents int) int { return -cents }")
	require.Contains(t, now, w.canary("hard-coded"), "what the model was not shown is there as it was")
	require.NotContains(t, now, "[redacted")
}

// TestTheScanFindsWhatIsNotRedacted is the same with the redactor off.
func TestTheScanFindsWhatIsNotRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, blind, strings.ReplaceAll(script, "  - {match: {node: executor, contains: [What is wrong with it]}", "  - {match: {node: never}"))
	w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund")
	seen := map[string]bool{}
	for _, f := range w.found() {
		seen[f.canary] = true
	}
	for _, c := range w.canaries {
		hidden := false
		for _, i := range w.ignored {
			hidden = hidden || i.name == c.name
		}
		require.Equal(t, !hidden, seen[c.name], c.name)
	}
}
