package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// A part of a plan that needs to know something leaves a question for the user: an answer continues the part, keeps its tests and the other
// parts, and no answer is requested twice.
func TestPlanRun_APartThatAsksTakesTheAnswer(t *testing.T) {
	t.Parallel()
	two := planOfFour[:strings.Index(planOfFour, ",\n    {id: sub")] + "]}}"
	asks := operation("add", "Add", 5, false) + `
- match: {node: add/executor, contains: [You implement]}
  reply: {json: {explanation: "", blocked: "Should a sum that overflows panic?"}}
- match: {node: add/planner}
  reply: {json: {decision: CONTINUE, reason: The user has to say that.}}`
	told := strings.Replace(implementing("add", "Add", "a + b"), "[You implement]", `[You implement, "Should a sum that overflows panic?", "The user says: let it wrap"]`, 1) + `
- match: {node: add/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`
	w := scripted(t, decideExecutor+two+asks+operation("mul", "Mul", 6, true, "a * b")+told+reviewPass, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add two operations")
	require.Equal(t, 3, code, stdout+stderr)
	require.Equal(t, before, fingerprint(t, w.root))
	id := asked[api.RunsResult](w, "runs").Runs[0].RunID
	require.Contains(t, stderr, "Should a sum that overflows panic?")
	require.Contains(t, stderr, `forge resume `+id+` --answer "…"`)

	require.Contains(t, w.said(0, "resume", id, "--yes", "--answer", "let it wrap"), "answered by --answer: let it wrap")
	require.NotEmpty(t, w.read("add.go"))
	require.NotEmpty(t, w.read("mul.go"))
	w.played()
}
