package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// forge run changes what it is asked about, however the request is worded; forge ask answers.
func TestRun_AQuestionIsAChangeWhereItCannotAsk(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "where is Add?")
	require.Zero(t, code, stdout+stderr)
	require.NotEmpty(t, w.read("add.go"))
	w.played()
}

// A statement of how something should be is no question, whatever a model makes of it.
func TestRun_RequestWithoutAChangeFails(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It does so already.}}}", sumModule())
	code, _, stderr := w.run("run", "--yes", "--trust", "middleware: ContentCharset should skip requests without a body")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "the model reports that no change is needed: It does so already.")
}

// The tests of a folder run in the scratch copy whether a model or a gate wants it: the fastest mode needs no question for that.
func TestRun_TestsNeedNoPermission(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: "What fails?", actions: [{tool: run_tests, args: {}}]}}
- match: {node: executor, contains: ["Result of run_tests", "undefined: Add"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, sumModule())
	code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "--mode", "fast", "add Add")
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "Let the model use")
	require.Equal(t, fineAdd, w.read("add.go"))
	w.played()
}

// Advice that is given can be followed: --yes does not allow commands and does not say that it would, and the flag that it names does.
func TestRun_AllowShellFollowsTheAdvice(t *testing.T) {
	t.Parallel()
	script := decideExecutor + writeTests + `
- match: {node: executor, contains: [You implement a change]}
  times: 2
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: [go, generate]}}]}}
- match: {node: executor, contains: ["Result of run_command go generate"]}
  reply: {json: {explanation: It is there., done: true}}` + reviewPass
	w := scripted(t, script, generated())
	w.settings("tools: {commands: [[go, generate]]}\n")
	code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "Let the model use run_command go generate?")
	require.Contains(t, stderr, "--allow-shell")
	require.NotContains(t, stderr, "use --yes")
	code, _, stderr = w.run("run", "--yes", "--trust", "--profile", "tooluse", "--allow-shell", "add Add to package sum")
	require.Zero(t, code, stderr)
	require.Equal(t, fineAdd, w.read("add.go"))
}
