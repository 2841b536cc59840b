package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer for the project is kept for exactly this call, listed, and forgotten again; the question shows the call as it is made.
func TestPermissions_AnAnswerForTheProjectIsKept(t *testing.T) {
	t.Parallel()
	w := scripted(t, wantsToRun(`[go, generate]`)+wantsToRun(`[go, generate]`), generated())
	w.settings("tools: {commands: [[go, generate]]}\n")
	p := w.sit("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
	p.sees("Let the model use run_command go generate?")
	p.sees(`{"argv":["go","generate"]}`)
	p.sees("4) Yes, for this project")
	p.types("4")
	_, screen := p.leaves()
	code, stdout, stderr := w.run("permissions", "list")
	require.Zero(t, code, stderr+screen)
	require.Contains(t, stdout, `["go","generate"]`)
	require.Contains(t, stdout, "project")
	code, _, stderr = w.run("permissions", "reset", "run_command")
	require.Zero(t, code)
	require.Contains(t, stderr, "1 permissions were forgotten")
	code, stdout, _ = w.run("permissions", "list")
	require.Zero(t, code)
	require.NotContains(t, stdout, "generate")
}
