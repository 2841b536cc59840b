package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// forge classify prints what a run would decide about its task, in a line and as JSON; it asks no model and needs no
// folder.
func TestClassifyCommand_ReportsWhatARunWouldDecide(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", sumModule())
	code, stdout, stderr := w.run("classify", "fix the crash when a refund is empty", "--file", "pay/refund.go")
	require.Equal(t, 0, code, stderr)
	require.Regexp(t, `^bugfix, about pay \(sure\): wants tests`, stdout)

	code, stdout, stderr = w.run("classify", "fix the off-by-one in Sum")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "bugfix, about the whole folder (sure): wants tests and a review\n", stdout)
	require.NotContains(t, stdout, "%", "figures are for programs")

	code, stdout, stderr = w.run("classify", "explain how refunds are rounded", "--json")
	require.Equal(t, 0, code, stderr)
	var class struct{ Kind, Scope string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &class))
	require.Equal(t, ".", class.Scope)
	require.NotEqual(t, "bugfix", class.Kind, "the twin: other words are other work")

	code, _, stderr = w.run("classify", " ")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "the task is missing")
}
