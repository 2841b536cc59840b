package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// The list of runs says what has become of the change of each: it waits, was declined, applied in part or as a whole, or undone.
func TestRuns_SayWhatHasBecomeOfTheChange(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
	code, _, stderr := w.run("run", "--trust", "add Add")
	require.Equal(t, 3, code, stderr)
	run := asked[api.RunsResult](w, "runs").Runs[0]
	is := func(decision, shown string) {
		t.Helper()
		require.Equal(t, decision, asked[api.RunsResult](w, "runs").Runs[0].Decision)
		require.Regexp(t, `(?m)^`+run.RunID+` .* 2 +`+shown+` +add Add$`, w.said(0, "runs"))
	}
	is("waiting", "waiting")
	require.Contains(t, w.said(0, "apply", "--run", run.RunID, "--yes", "--dry-run"), "+func Add(")
	require.Contains(t, w.said(0, "apply", "--run", run.RunID, "--yes", "--dry-run", "--json"), `"state":"previewed"`)
	w.said(0, "untrust")
	for _, again := range [][]string{{"apply", "--run", run.RunID, "--yes"}, {"resume", run.RunID, "--yes"}} {
		require.Contains(t, w.said(3, again...), "is not trusted: if you trust the code in it, use --trust, or forge trust")
	}
	require.NoFileExists(t, filepath.Join(w.root, "add.go"))
	is("waiting", "waiting")
	w.said(0, "trust")

	code, screen := w.answers([]string{"apply", "--run", run.RunID}, "Nothing", "3")
	require.Equal(t, 3, code, screen)
	require.Contains(t, screen, "To apply it later: forge apply --run "+run.RunID)
	is("declined", "declined")

	p := w.sit("apply", "--run", run.RunID)
	p.sees("File by file")
	p.types("2")
	p.sees("Apply add.go?")
	p.types("y")
	p.sees("Apply add_test.go?")
	p.types("n")
	code, screen = p.leaves()
	require.Zero(t, code, screen)
	is("partial", "partly applied")

	w.said(0, "apply", "--run", run.RunID, "--yes")
	is("applied", "applied")
	code, screen = w.answers([]string{"undo"}, "Nothing", "3")
	require.Equal(t, 3, code, screen)
	is("applied", "applied")
	w.said(0, "undo", "--yes")
	is("undone", "undone")
	w.said(0, "redo", "--yes")
	is("applied", "applied")
	w.said(0, "undo", "--yes")
	w.said(0, "untrust")
	w.said(0, "resume", run.RunID, "--yes", "--trust")
	is("applied", "applied")

	w.said(0, "untrust") // a run that asks for trust first
	code, stdout, stderr := w.run("run", "--yes", "--tool", "replace_all", "--args", `{"find": "Package sum", "replace": "Package sums"}`)
	require.Equal(t, 3, code, stdout+stderr)
	w.said(0, "resume", asked[api.RunsResult](w, "runs").Runs[0].RunID, "--yes", "--trust")
	is("applied", "applied")
	w.played()
}

// answers runs the program at a terminal, types a line once a text is on the screen, and returns the exit code and the screen.
func (w *world) answers(args []string, asked, answer string) (code int, screen string) {
	w.t.Helper()
	p := w.sit(args...)
	p.sees(asked)
	p.types(answer)
	return p.leaves()
}
