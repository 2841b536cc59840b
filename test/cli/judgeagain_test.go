package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// failed is a run that used up its one attempt, and was not accepted.
func (w *world) failed() (id string) {
	w.t.Helper()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--max-attempts", "1", "add Add")
	require.Equal(w.t, 3, code, stdout+stderr)
	require.Contains(w.t, stderr, "not verified")
	return asked[api.RunsResult](w, "runs").Runs[0].RunID
}

// A run that was not accepted is judged again when it is resumed, with the settings, tools and files of that time; no model is asked
// for the change a second time.
func TestResume_JudgesTheBestChangeAgain(t *testing.T) {
	t.Parallel()
	const header = "gates: [{name: header, argv: [test, \"!\", -e, add.go], checks: 1}]\n"
	guarded := sumModule()
	guarded["guard_test.go"] = "package sum\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestGuard(t *testing.T) {\n\tif _, err := os.Stat(\"add.go\"); err == nil {\n\t\tt.Fatal(\"add.go is there\")\n\t}\n}\n"
	for name, c := range testkit.SampleMap(1, map[string]struct {
		settings string
		files    map[string]string
		change   func(w *world)
	}{
		"settings": {header, sumModule(), func(w *world) { w.settings(header + "waive: [header]\n") }},
		"files": {"", guarded, func(w *world) {
			require.NoError(w.t, os.Remove(filepath.Join(w.root, "guard_test.go")))
		}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, c.files)
			w.settings(c.settings)
			id := w.failed()
			before := w.journal.requests("executor")
			c.change(w)
			said := w.said(0, "resume", id, "--yes")
			require.Contains(t, said, "the best change of the run is checked again first")
			require.Equal(t, before, w.journal.requests("executor"))
			require.NotEmpty(t, w.read("add.go"))
			w.played()
		})
	}
}

// A change that still does not hold is followed by new attempts.
func TestResume_ContinuesIfTheBestChangeStillFails(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+mistaken+hint+writeRight+reviewPass, sumModule())
	id := w.failed()
	said := w.said(0, "resume", id, "--yes")
	require.Contains(t, said, "the change of attempt 1 is checked again, and no model is asked")
	require.Contains(t, w.read("add.go"), "a + b")
	w.played()
}

// A tool that was missing is there when the run is resumed.
func TestResume_SeesAToolThatWasInstalled(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
	flag := filepath.Join(t.TempDir(), "installed")
	w.settings("gates: [{name: header, argv: [sh, -c, \"test ! -e add.go || test -e " + flag + "\"], checks: 1}]\nunguarded: [header]\n") // its file is outside of the tree
	id := w.failed()
	require.NoError(t, os.WriteFile(flag, nil, 0o600))
	w.said(0, "resume", id, "--yes")
	require.NotEmpty(t, w.read("add.go"))
	w.played()
}

// An edit that was refused by a test that fails now and then is not forbidden: made again it is judged again.
func TestRun_TheSameEditIsJudgedAgain(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+hint+writeRight+reviewPass, sumModule())
	flag := filepath.Join(t.TempDir(), "flaky")
	w.settings("gates: [{name: flaky, argv: [sh, -c, \"test ! -e add.go || test -e " + flag + " || { touch " + flag + "; exit 1; }\"], checks: 1}]\nunguarded: [flaky]\n") // its file is outside of the tree
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Zero(t, code, stdout+stderr)
	require.NotContains(t, stderr, "Do something else")
	require.NotEmpty(t, w.read("add.go"))
}

// The same wrong change twice ends the attempts: there is no third request, and the change is offered. A gate that did not object to it runs once.
func TestRun_TheSameWrongChangeTwiceEndsTheAttempts(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+mistaken+mistaken, sumModule())
	runs := filepath.Join(t.TempDir(), "runs")
	w.settings("gates: [{name: header, argv: [sh, -c, \"test ! -e add.go || echo once >>" + runs + "\"], checks: 1}]\nunguarded: [header]\n") // its file is outside of the tree
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	last := endedWith(t, stdout)
	require.Contains(t, last.Reason, "attempt 2 makes the change of attempt 1 again, and it fails again: go test: fail: 1 of 1 test failed")
	require.Contains(t, last.Diff, "a*b + 1")
	text, err := os.ReadFile(runs)
	require.NoError(t, err)
	require.Equal(t, "once\n", string(text))
	w.played()
}
