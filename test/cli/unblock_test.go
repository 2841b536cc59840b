package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

const (
	asksBack = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: "", blocked: "Should a sum that overflows panic?"}}`
	writeTold = `
- match: {node: executor, contains: ["Should a sum that overflows panic?", "The user says: let it wrap"]}
  reply: {json: {explanation: It adds., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"}], patch: "", blocked: ""}}`
)

// Missing information is a question to the user. A run that could not ask ends with it, and resume asks it again or takes the answer; the
// tests that were written before are not requested again.
func TestBlocked_ResumeTakesTheAnswer(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+asksBack+writeTold+reviewPass, sumModule())
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Equal(t, 3, code, stderr)
	id := asked[api.RunsResult](w, "runs").Runs[0].RunID
	require.Contains(t, stderr, "? The model cannot continue: Should a sum that overflows panic?")
	require.Contains(t, stderr, `forge resume `+id+` --answer "…"`)

	before := w.journal.requests("executor")
	require.Contains(t, w.said(3, "resume", id, "--yes"), "? The model cannot continue: Should a sum that overflows panic?")
	require.Equal(t, before, w.journal.requests("executor"), "without an answer no model is asked")

	said := w.said(0, "resume", id, "--yes", "--answer", "let it wrap")
	require.Contains(t, said, "answered by --answer: let it wrap")
	require.NotContains(t, said, "--answer was not used")
	require.NotEmpty(t, w.read("add.go"))
	require.Contains(t, w.said(0, "resume", id, "--yes", "--answer", "let it wrap"), "--answer was not used: the run asked nothing that it answers")
	w.played()
}

func TestBlocked_AnAnswerHoldsForLaterAttempts(t *testing.T) {
	t.Parallel()
	wrongTold := `
- match: {node: executor, contains: ["The user says: let it wrap"]}
  reply: {json: {explanation: It multiplies., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a*b + 1 }\n"}], patch: "", blocked: ""}}`
	w := scripted(t, decideExecutor+writeTests+asksBack+wrongTold+writeTold+reviewPass, sumModule())
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Equal(t, 3, code, stderr)
	id := asked[api.RunsResult](w, "runs").Runs[0].RunID
	w.said(0, "resume", id, "--yes", "--answer", "let it wrap")
	require.Contains(t, w.read("add.go"), "a + b")
	w.played()
}
