package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// What the model says of its change is printed above it as the model's words, whole sentences of it, without secrets and with control
// characters spelled out; the log, the report and a later apply have the same words.
func TestExplanation_IsShownWithTheChange(t *testing.T) {
	t.Parallel()
	explained := `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: "Add adds\e[2J,\nas ` + keyOfShop + ` does. ` + strings.Repeat("It is short. ", 50) + `The end of a long story.",
    files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"}], patch: "", blocked: ""}}`
	w := scripted(t, decideExecutor+writeTests+explained+reviewPass, sumModule())
	w.put(map[string]string{".env": "STRIPE_KEY=" + keyOfShop + "\n", ".gitignore": ".env\n"})
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Zero(t, code, stderr)
	w.played()
	says := `the model says: Add adds\u001b[2J, as [redacted: stripe-access-token] does. It is short. It is short.`
	require.Contains(t, stderr, "[forge] "+says)
	require.NotContains(t, stdout+stderr, "long story")
	require.Contains(t, stderr, "It is short.\n")

	id := runID(t, w)
	log := w.said(0, "log", id)
	require.Contains(t, log, says)
	require.Contains(t, asked[api.RunShown](w, "runs", "show", id, "--report").Report, "The model says:\n\n> Add adds")
	require.Contains(t, w.said(0, "undo", "--yes"), "applied add.go")
	later := w.said(0, "apply", "--run", id, "--yes", "--json")
	require.Contains(t, later, says)
	require.Contains(t, later, `"explanation":"Add adds`)
	require.NotContains(t, stdout+stderr+log+later, keyOfShop)
	require.NotContains(t, stdout+stderr+log+later, "\x1b[2J")
}

// A change by tools that the user names is no model's, and nothing is said in a model's name.
func TestExplanation_IsMissingWithoutAModel(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, sumModule())
	require.NotContains(t, w.said(0, writing("new.txt", "a\n")...), "the model says")
	require.Equal(t, "a\n", w.read("new.txt"))
}
