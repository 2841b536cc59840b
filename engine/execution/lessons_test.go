package execution

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/memory"
)

// What is known of a failure gains when it is resolved again or helps, and loses when the failure comes again. Each verdict names its event.
func TestLearn_LessonsAreJudged(t *testing.T) {
	t.Parallel()
	host, root := newHost(t), t.TempDir()
	m, err := host.State.Memory(t.Context(), root)
	require.NoError(t, err)
	cause := overseer.Cause{Category: overseer.Dependency, Text: "No module named 'requests'", Gate: "python test", Said: "in a.py"}
	green := []gate.Report{{Gate: "python test", Verdict: gate.Pass, Executed: 2}}
	red := []gate.Report{{Gate: "python test", Verdict: gate.Fail, Executed: 2}}
	told := func(run string, c step.LearnCall) memory.Pattern {
		l := host.New(run, nil, Params{Task: "add it", Root: root})
		c.Node, c.Attempt = "a/executor", 1
		l.Run.Log.Append(event.GateFinished{Node: "b/review", Attempt: 1, Report: c.Reports[0]})
		l.Run.Log.Append(event.GateFinished{Node: "a/review", Attempt: 1, Report: c.Reports[0]})
		l.Run.Log.Append(event.AttemptJudged{Part: "a", Attempt: 1})
		_, err := l.memory().learn(t.Context(), c)
		require.NoError(t, err)
		p, err := m.FindPattern(t.Context(), memory.Dependency, cause.Text)
		require.NoError(t, err)
		return p
	}
	p := told("r-1", step.LearnCall{Reports: green, Lessons: []overseer.Lesson{{Cause: cause, Fix: "in A.py, add `import urllib`", Paths: []string{"A.py"}}}})
	require.Equal(t, [2]int{1, 0}, [2]int{p.Successes, p.Failures})
	require.Equal(t, "seen as: in a.py; applies to python files such as A.py", p.Context)
	why, err := m.Why(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, [2]int64{3, 2}, [2]int64{why.Source.Event, why.Evidence[0].Report.Event}, "the attempt, and the report of the gate of its own part")

	p = told("r-2", step.LearnCall{Reports: red, Causes: []overseer.Cause{cause}, Shown: []string{string(p.ID)}, Touched: []string{"A.py"}})
	require.Equal(t, [2]int{1, 1}, [2]int{p.Successes, p.Failures}, "it did not help")
	p = told("r-3", step.LearnCall{Reports: green, Shown: []string{string(p.ID), "pattern-99", "global " + string(p.ID)}, Touched: []string{"A.py"}})
	require.Equal(t, [2]int{2, 1}, [2]int{p.Successes, p.Failures}, "it held")
	p = told("r-4", step.LearnCall{Reports: green, Shown: []string{string(p.ID)}, Touched: []string{"b.py"}})
	require.Equal(t, [2]int{2, 1}, [2]int{p.Successes, p.Failures}, "the work was elsewhere")
	p = told("r-5", step.LearnCall{Reports: green, Touched: []string{"A.py"}})
	require.Equal(t, [2]int{2, 1}, [2]int{p.Successes, p.Failures}, "it was not shown")
}
