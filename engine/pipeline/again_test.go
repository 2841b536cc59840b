package pipeline

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

// suiteOf is testGate, which counts its runs on trees with a change: on all tests, and on some.
type suiteOf struct {
	gateFunc
	whole, some int
	alone       func(gate.Report) gate.Report // makes of a report what some tests say alone; may be nil
}

func (s *suiteOf) changed(tree gate.Tree) bool {
	_, err := tree.(*memoryTree).ReadFile("b")
	return err == nil
}

func (s *suiteOf) Run(ctx context.Context, tree gate.Tree) gate.Report {
	if s.changed(tree) {
		s.whole++
	}
	return s.gateFunc.Run(ctx, tree)
}

func (s *suiteOf) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	if len(scope.Only) == 0 {
		return s.Run(ctx, tree)
	}
	s.some++
	report := s.gateFunc.Run(ctx, tree)
	if s.alone != nil {
		return s.alone(report)
	}
	return report
}

// Where a model makes the same change again, gates that did not object to it do not run again; of the suite only the tests that failed do.
func TestAgain_TheSameChangeIsNotJudgedTwice(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrong)
	linted := 0
	lint := gateFunc{"lint", func(files map[string]string) gate.Report {
		if files["b"] != "" {
			linted++
		}
		return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "1 file is fine"}
	}}
	e.check(lint)
	suite, others := &suiteOf{gateFunc: testGate}, e.kit.Gate
	e.kit.Gate = func(name string) gate.Gate {
		if name == testGate.Name() {
			return suite
		}
		return others(name)
	}
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, result.Reason)
	require.Contains(t, result.Reason, "attempt 2 makes the change of attempt 1 again, and it fails again")
	require.Contains(t, result.Reason, "want two in b")
	require.Equal(t, 1, linted)
	require.Equal(t, 1, suite.whole)
	require.Equal(t, 1, suite.some)
	said := slices.DeleteFunc(e.finished("lint"), func(r gate.Report) bool { return r.Verdict != gate.Pass })
	require.Equal(t, "1 file is fine; as in attempt 1, with the same files", said[len(said)-1].Summary)
	require.Equal(t, result, e.again(t))
	require.Empty(t, e.flow.Performed())
}

// A test that failed in the suite and passes alone is no proof: the whole suite runs again, as for a change that is new.
func TestAgain_TheSuiteRunsAgainIfATestPassesAlone(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrong)
	suite := &suiteOf{gateFunc: testGate, alone: func(r gate.Report) gate.Report {
		for _, f := range r.Findings {
			r.PassedTests = append(r.PassedTests, f.Test)
		}
		r.Verdict, r.Findings, r.Passed = gate.Pass, nil, r.Executed
		return r
	}}
	e.kit.Gate = func(string) gate.Gate { return suite }
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, result.Reason)
	require.Contains(t, result.Reason, "and it fails again")
	require.Equal(t, 2, suite.whole)
	require.Equal(t, 1, suite.some)
}
