package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

const (
	// silentModel begins to answer and then says no more.
	silentModel = `
- {match: {node: orchestrator}, fault: {kind: hang, afterBytes: 120}, times: -1}`
	// slowModel takes ten minutes between two pieces of its answer.
	slowModel = `
- {match: {node: orchestrator}, reply: {stream: [{delta: "{"}, {delta: "}", delayMs: 600000}]}, times: -1}`
	// decidedModel lets the gates begin.
	decidedModel = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: It is small.}}, times: -1}`
	// absentModel accepts the request and never answers.
	absentModel = `
- {match: {node: orchestrator}, fault: {kind: hang}, times: -1}`
)

// moment is a point of a run at which it is interrupted. The script must lead to it; reach blocks until
// it is reached and returns a check that nothing of the run survives.
type moment struct {
	script string
	files  func(b breath) map[string]string
	reach  func(w *world, l *live, b breath) (quiet func())
	tree   bool // there is a scratch tree by then
}

func inTheModel(w *world, _ *live, _ breath) func() {
	w.journal.waitFor(`node "orchestrator"`)
	return func() {}
}

func atTheEvent(kind string) func(w *world, l *live, b breath) func() {
	return func(_ *world, l *live, _ breath) func() {
		l.until(kind)
		return func() {}
	}
}

func plain(breath) map[string]string { return sumModule() }

var moments = map[string]moment{
	"in the middle of a gate": {decidedModel, breath.module, func(_ *world, _ *live, b breath) func() {
		pipe := b.begun()
		return func() { b.gone(pipe) }
	}, true},
	"while the model is silent":         {silentModel, plain, inTheModel, true},
	"while the model takes its time":    {slowModel, plain, inTheModel, true},
	"while the model does not answer":   {absentModel, plain, inTheModel, true},
	"when the snapshot is being taken":  {absentModel, plain, atTheEvent("run.started"), false},
	"when the graph has just been made": {absentModel, plain, atTheEvent("graph"), true},
}

// begin leads a run in the middle of somebody's work to the moment, and gives the folder's fingerprint before it.
func (m moment) begin(t *testing.T) (w *world, l *live, before string, quiet func()) {
	t.Helper()
	b := newBreath(t)
	w = scripted(t, m.script, m.files(b))
	w.settings("unguarded: [go test]\n") // its pipe is outside of the tree
	folders["a repository in the middle of work"](w)
	before = fingerprint(t, w.root)
	l = w.start("add Add")
	return w, l, before, m.reach(w, l, b)
}

// An interrupted run reports that last, and nothing of it survives: no event, no process, no scratch tree.
func TestInterrupt_LeavesNothingRunning(t *testing.T) {
	t.Parallel()
	for name, m := range testkit.SampleMap(1, moments) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, l, before, quiet := m.begin(t)
			l.signal(os.Interrupt)
			code, rest := l.end()
			require.Equal(t, 4, code, rest)
			require.Regexp(t, `"type":"run.ended","data":\{"state":"cancelled"[^\n]*"quietMs":[1-9][^\n]*\}\n\{"runId":[^\n]*"state":"cancelled"[^\n]*\}\n$`, rest)
			require.Contains(t, asked[api.RunShown](w, "runs", "show", "--report").Report, "after the request to cancel it")
			quiet()
			require.Equal(t, before, fingerprint(t, w.root))
			require.Empty(t, w.trees())
		})
	}
}

// Who has interrupted a run reads how to go on, and resume without a name names that run.
func TestInterrupt_SaysHowToGoOn(t *testing.T) {
	t.Parallel()
	w := scripted(t, absentModel, sumModule())
	l := w.start("add Add")
	w.journal.waitFor(`node "orchestrator"`)
	l.signal(os.Interrupt)
	code, _ := l.end()
	require.Equal(t, 4, code)
	run := asked[api.RunsResult](w, "runs").Runs[0].RunID
	require.Regexp(t, `\[forge\] to continue: forge resume `+run+`\n$`, l.stderr.String())
	require.Contains(t, w.said(1, "resume"), "is \"add Add\". To continue it: forge resume "+run)
}

// A killed run leaves the folder as it was and no process alive. What it leaves in Forge's own state is
// swept by the next run, which works.
func TestKill_NextRunSweepsTheLeftovers(t *testing.T) {
	t.Parallel()
	for name, m := range testkit.SampleMap(1, moments) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, l, before, quiet := m.begin(t)
			l.signal(syscall.SIGKILL)
			code, _ := l.end()
			require.Equal(t, -1, code)
			quiet()
			require.Equal(t, before, fingerprint(t, w.root))
			if m.tree {
				require.NotEmpty(t, w.trees(), "there is something to sweep")
			}

			next := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}", nil)
			next.root, next.home = w.root, w.home
			next.environ = append(next.environ, "FORGE_HOME="+w.home)
			require.NoError(t, os.RemoveAll(filepath.Join(w.root, "hang_test.go")))
			before = fingerprint(t, w.root)
			code, stdout, stderr := next.run("run", "--trust", "--yes", "--json", "--recipe", "implement", "is there a function for this?")
			require.Zero(t, code, stdout+stderr)
			require.Equal(t, before, fingerprint(t, w.root))
			require.Empty(t, w.trees(), "the scratch trees of the dead are swept")
		})
	}
}

// The twin of the tests above: the check detects a surviving process.
func TestInterrupt_CheckDetectsASurvivingProcess(t *testing.T) {
	t.Parallel()
	b := newBreath(t)
	w := scripted(t, decidedModel, b.module())
	w.settings("unguarded: [go test]\n") // its pipe is outside of the tree
	l := w.start("add Add")
	pipe := b.begun()
	ctx, cancel := context.WithCancel(t.Context())
	holder, err := os.OpenFile(b.path, os.O_WRONLY, 0)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, pipe)
		ended <- err
		cancel()
	}()
	l.signal(os.Interrupt)
	code, _ := l.end()
	require.Equal(t, 4, code)
	require.NoError(t, ctx.Err(), "somebody still holds the pipe")
	require.NoError(t, holder.Close())
	require.NoError(t, <-ended)
}

// Two runs in one folder at the same time do not get in each other's way: neither sweeps the scratch tree
// of the other.
func TestConcurrentRuns_KeepSeparateScratchTrees(t *testing.T) {
	t.Parallel()
	b := newBreath(t)
	w := scripted(t, decidedModel, b.module())
	w.settings("unguarded: [go test]\n") // its pipe is outside of the tree
	l := w.start("add Add")
	pipe := b.begun()
	first := w.trees()
	require.NotEmpty(t, first)

	second := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}", nil)
	second.root = w.root
	second.environ = append(second.environ, "FORGE_HOME="+w.home)
	require.NoError(t, os.Remove(filepath.Join(w.root, "hang_test.go")))
	code, _, stderr := second.run("run", "--trust", "--yes", "--recipe", "implement", "is there a function for this?")
	require.Zero(t, code, stderr)
	require.Subset(t, w.trees(), first)

	l.signal(syscall.SIGTERM)
	code, rest := l.end()
	require.Equal(t, 4, code, rest)
	b.gone(pipe)
	require.Empty(t, w.trees())
}
