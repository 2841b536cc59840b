package judge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
)

// promisesOf are the promises of a task in a folder with one suite of tests.
func promisesOf(task work.Task) *Promises {
	r := work.NewRun(work.Env{Project: work.Project{Suites: integrity.Suites{{Gate: "test", IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") }}}}}, task)
	u := work.NewModule(&work.Job{Run: r}, 0, 0)
	return NewPromises(u, NewChecker(u, NewGates(r)))
}

// Without names the number must do: one test more must pass.
func TestPromises_WithoutNamesSomethingNewMustPass(t *testing.T) {
	t.Parallel()
	r := promisesOf(work.Task{})
	r.Tests.Red = integrity.Reds{{Gate: "test"}}
	r.Run.Emit = func(event.Data) {}
	r.gates.baseline = []gate.Report{{Gate: "test", Verdict: gate.Pass, Executed: 3, Passed: 3}}
	pass := func(n int) []gate.Report {
		return []gate.Report{{Gate: "test", Verdict: gate.Pass, Executed: n, Passed: n, Tests: true}}
	}
	require.True(t, gate.Open(r.WithHeld(graph.Node{ID: work.NodeReview, Attempt: 1}, pass(4))))
	require.False(t, gate.Open(r.WithHeld(graph.Node{ID: work.NodeReview, Attempt: 1}, pass(3))))
	r.Tests.Red = nil
	require.Len(t, r.WithHeld(graph.Node{ID: work.NodeReview, Attempt: 1}, pass(3)), 1, "where nothing was seen red there is nothing to hold")
}

// A test that failed before the run and that the task names must pass in the end, whatever else does.
func TestPromises_TestThatTheTaskNamesMustPass(t *testing.T) {
	t.Parallel()
	before := gate.Report{Gate: "test", Verdict: gate.Fail, Tests: true, Executed: 3, Passed: 1, PassedTests: []string{"m.TestOld"}, Findings: []gate.Finding{
		{Test: "m.TestFee/at least one"}, {Test: "test_pay.FeeTest.test_fee"}, {Test: "a.test.js > fee > is never negative"}, {Test: "m.Works"},
	}}
	for name, c := range map[string]struct {
		task    string
		passing []string
		found   string
	}{
		"it fails still":       {"mend it, so that TestFee passes", nil, "m.TestFee/at least one failed before the change, the task names it"},
		"it passes":            {"mend it, so that TestFee passes", []string{"m.TestFee/at least one"}, ""},
		"of Python":            {"make test_fee pass", nil, "test_pay.FeeTest.test_fee failed before the change"},
		"of JavaScript":        {"the test 'is never negative' fails", nil, "a.test.js > fee > is never negative failed before the change"},
		"no test is named":     {"mend it", nil, ""},
		"a longer name is":     {"make TestFeeling pass", nil, ""},
		"a word is no name":    {"see that it Works", nil, ""},
		"another one is named": {"mend TestOld", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := promisesOf(work.Task{Text: c.task})
			r.gates.baseline = []gate.Report{before}
			r.Tests.Red = integrity.Reds{{Gate: "test", Tests: []string{"m.TestNew"}}}
			after := gate.Report{Gate: "test", Verdict: gate.Pass, Tests: true, Executed: 4, PassedTests: append([]string{"m.TestNew", "m.TestOld"}, c.passing...)}
			_, found := r.promise(r.Run.Project.Suites[0]).Held(after)
			if c.found == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Contains(t, found[0].Message, c.found)
		})
	}
}
