package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// notCompiling is an implementation that no compiler takes.
const notCompiling = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It is typed in a hurry., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return sum(a, b) }\n"}], patch: "", blocked: ""}}`

// mistaken is an implementation that compiles and that one test does not accept.
const mistaken = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It multiplies., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a*b + 1 }\n"}], patch: "", blocked: ""}}`

// hint is what the debugger says.
const hint = `
- match: {node: debugger}
  reply: {json: {rootCause: the sum is wrong, hypotheses: [], fix: add, mustRead: [], strategy: add the operands}}`

const wrongAdd = "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a*b + 1 }\n"

// ended is the last line of forge run --json.
type ended struct {
	RunID, State, Reason, Diff, Unverified, Error string
	Files                                         []struct{ Path, State string }
}

// endedWith reads the last line that a run printed.
func endedWith(t *testing.T, stdout string) (e ended) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &e), stdout)
	return e
}

func TestUnverified_TheBestAttemptIsOfferedAndYesAloneDoesNotTakeIt(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+mistaken+hint+notCompiling, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--max-attempts", "2", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	require.Equal(t, before, fingerprint(t, w.root))
	require.Contains(t, stdout, "return a*b + 1", "the attempt that compiles is better than the later one that does not")
	require.NotContains(t, stdout, "return sum(a, b)")
	require.Contains(t, stderr, "[forge] not verified: the run did not accept this change")
	require.Contains(t, stderr, "        go test: fail: 1 of 1 test failed")
	run := asked[api.RunsResult](w, "runs").Runs[0]
	require.Equal(t, "failed", run.State)
	require.Equal(t, 2, run.Files)
	require.Contains(t, run.Unverified, "go test: fail")
	require.Contains(t, stderr, "forge apply --run "+run.RunID+" --yes --allow-unverified")
	_, report, _ := w.run("runs", "show", "--report")
	require.Contains(t, report, "## What was not checked\n\n- ")
	require.Contains(t, report, "not accepted: go test: fail")

	require.Contains(t, w.said(3, "apply", "--run", run.RunID, "--yes"), "the change is not verified")
	require.Contains(t, w.said(3, "apply", "--run", run.RunID), "no terminal to ask for consent")
	require.Equal(t, before, fingerprint(t, w.root))
	require.Contains(t, w.said(0, "apply", "--run", run.RunID, "--yes", "--allow-unverified"), "not verified")
	require.Equal(t, wrongAdd, w.read("add.go"))
	require.Contains(t, w.said(0, "undo", "--yes"), "applied add.go")
	require.Empty(t, w.read("add.go"))
	w.played()
}

// said runs a command that must end with a code, and gives all that it prints.
func (w *world) said(code int, args ...string) string {
	w.t.Helper()
	got, stdout, stderr := w.run(args...)
	require.Equal(w.t, code, got, "%v: %s%s", args, stdout, stderr)
	return stdout + stderr
}

func TestUnverified_AllowUnverifiedAppliesARejectedChange(t *testing.T) {
	t.Parallel()
	refused := `
- {match: {node: review}, reply: {json: {pass: false, reason: It says nothing of overflow., issues: []}}}`
	w := scripted(t, decideExecutor+writeTests+writeRight+refused, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--allow-unverified", "--trust", "--max-attempts", "1", "--json", "add Add")
	require.Zero(t, code, stdout+stderr)
	last := endedWith(t, stdout)
	require.Equal(t, "failed", last.State)
	require.Contains(t, last.Unverified, "review: It says nothing of overflow.")
	require.Len(t, last.Files, 2)
	require.Contains(t, stderr, "not verified")
	require.Contains(t, stdout, `"type":"proposal"`)
	require.NotEmpty(t, w.read("add.go"))
}

// A run whose budget ends after the gates offers its change, and reports that it was not reviewed.
func TestUnverified_ALimitLeavesTheChange(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight, sumModule())
	w.settings("limits: {steps: 3}\n")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--no-explore", "--json", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	last := endedWith(t, stdout)
	require.Equal(t, "blocked", last.State)
	require.Contains(t, last.Diff, "return a + b")
	require.Contains(t, last.Unverified, "limits.steps")
	require.Empty(t, last.Files)
	require.Contains(t, w.said(0, "apply", "--run", last.RunID, "--yes", "--allow-unverified", "--json"), `"state":"applied"`)
}

func TestUnverified_UnparsableChangeIsNotOffered(t *testing.T) {
	t.Parallel()
	torn := `
- match: {node: executor, contains: [You implement a change]}
  times: 3
  reply: {json: {explanation: It is torn., files: [{path: sum.go, action: create, content: "package sum\n\nfunc Add(a, b int int {\n"}], patch: "", blocked: ""}}`
	w := scripted(t, decideExecutor+writeTests+torn, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--max-attempts", "1", "--json", "add Add")
	require.NotZero(t, code, stderr)
	require.Empty(t, endedWith(t, stdout).Diff)
	require.Contains(t, w.said(1, "apply", "--run", endedWith(t, stdout).RunID, "--yes"), "the run has no change to apply")
}

// A result that was not accepted is no success, and is not lost either.
func TestRun_UnacceptedResultExitsThree(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--trust", "--json", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	last := endedWith(t, stdout)
	require.Equal(t, "succeeded", last.State)
	require.Empty(t, last.Unverified)
	require.Contains(t, stderr, "no terminal to ask for consent. Use --yes to apply the result, or apply it now: forge apply --run "+last.RunID+" --yes")
	w.said(0, "apply", "--run", last.RunID, "--yes")
	require.NotEmpty(t, w.read("add.go"))
}

// The state of forge apply --run, undo and redo is what became of the change.
func TestApplyRun_StatesWhatBecameOfTheChange(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
	_, stdout, _ := w.run("run", "--trust", "--json", "add Add")
	apply := []string{"apply", "--json", "--run", endedWith(t, stdout).RunID, "--yes"}
	ends := func(state string, code int, args ...string) ended {
		t.Helper()
		got, stdout, stderr := w.run(args...)
		require.Equal(t, code, got, stdout+stderr)
		last := endedWith(t, stdout)
		require.Equal(t, state, last.State)
		return last
	}
	require.Contains(t, ends("declined", 3, apply[:4]...).Reason, "no terminal to ask for consent")
	mine := map[string]string{"add.go": "package sum\n\n// Mine.\n", "add_test.go": "package sum\n\n// Mine.\n"}
	w.put(mine)
	require.Len(t, ends("conflict", 3, apply...).Files, 2)
	for path := range mine {
		require.Equal(t, mine[path], w.read(path))
		require.NoError(t, os.Remove(filepath.Join(w.root, path)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(w.root, "add.go"), 0o755))
	require.NotEmpty(t, ends("failed", 1, apply...).Error)
	require.NoError(t, os.Remove(filepath.Join(w.root, "add.go")))
	ends("applied", 0, apply...)
	ends("declined", 3, "undo", "--json")
	ends("succeeded", 0, "undo", "--json", "--yes")
	ends("declined", 3, "redo", "--json")
	ends("succeeded", 0, "redo", "--json", "--yes")
}

// A change that concerns no gate of the project is checked by none, however green they were before.
func TestUnverified_AChangeThatConcernsNoGate(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, sumModule())
	w.put(map[string]string{"sum_test.go": passingTest})
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--tool", "write_file", "--args", `{"path": "deploy/site.yaml", "content": "x: 1\n"}`)
	require.Equal(t, 3, code, stdout+stderr)
	require.Contains(t, stdout, "+x: 1")
	require.Contains(t, stderr, "nothing checks this change: it does not concern gofmt, go vet, go build, go test")
	require.Equal(t, before, fingerprint(t, w.root))
}
