package checks

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

// suiteIn is a suite of a folder that nothing but its registry knows.
func suiteIn(t *testing.T, root, run string) *Suite {
	t.Helper()
	return NewSuites(t.Context()).New(SuiteHost{}, SuiteChange{Run: run, Root: root}, false)
}

// untilStopped works until the suite is stopped, and says so.
func (s *Suite) untilStopped(said chan<- string) func() {
	return func() {
		said <- s.of.Run + " begins"
		<-s.ctx.Done()
		said <- s.of.Run + " ends"
		s.settle(s.halted())
	}
}

// Of each folder one is run at a time: a newer one waits for the end of the older one, those of other folders do not.
func TestBackground_OneOfEachFolderAtATime(t *testing.T) {
	t.Parallel()
	var all Suites
	said := make(chan string, 9)
	first, second, other := suiteIn(t, "/a", "1"), suiteIn(t, "/a", "2"), suiteIn(t, "/b", "3")
	require.True(t, all.begin(first, first.untilStopped(said)))
	require.Equal(t, "1 begins", <-said)
	require.True(t, all.begin(other, other.untilStopped(said)))
	require.Equal(t, "3 begins", <-said)
	require.True(t, all.begin(second, second.untilStopped(said)))
	require.Equal(t, []string{"1 ends", "2 begins"}, []string{<-said, <-said})
	all.Stop("2")
	require.Equal(t, "2 ends", <-said)
	all.Stop("none")
	other.Cancel()
	all.Close()
	require.Equal(t, "3 ends", <-said)
	require.False(t, all.begin(suiteIn(t, "/a", "4"), func() { panic("it is closed") }))
}

// One that was cancelled before it began stops at once, and one that cannot begin any more has a result.
func TestSuite_StartAfterClose(t *testing.T) {
	t.Parallel()
	closed := NewSuites(t.Context())
	closed.Close()
	s := closed.New(SuiteHost{}, SuiteChange{Run: "1", Root: "/a"}, false)
	s.Start(nil)
	s.Start(nil)
	require.Equal(t, SuiteResult{Text: "whole suite: stopped"}, s.Result())
}

func TestResult_IsOneLine(t *testing.T) {
	t.Parallel()
	pass := gate.Report{Gate: "go test", Verdict: gate.Pass, Executed: 1943, Passed: 1943}
	known := gate.Report{Gate: "pytest", Verdict: gate.Pass, Executed: 3, Passed: 2, Known: 1, Flaky: []string{"f"}}
	fail := gate.Report{Gate: "pytest", Verdict: gate.Fail, Executed: 9, Passed: 2}
	for i := range 7 {
		fail.Findings = append(fail.Findings, gate.Finding{Test: fmt.Sprintf("t%d", i)})
	}
	build := gate.Report{Gate: "go test", Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a.go", Line: 3, Message: "undefined: Add\nmore"}}}
	late := gate.Report{Gate: "go test", Verdict: gate.Error, Summary: "go test did not end within 5m0s and was stopped"}
	advisory := gate.Report{Gate: "go test", Verdict: gate.Fail, Weight: gate.Advisory, Summary: "2 failed (could not run before the change: nothing to compare with)"}
	for name, c := range map[string]struct {
		reports []gate.Report
		verdict gate.Verdict
		text    string
	}{
		"all pass":            {[]gate.Report{pass}, gate.Pass, "whole suite: 1,943 of 1,943 passed"},
		"two suites":          {[]gate.Report{pass, known}, gate.Pass, "whole suite: 1,945 of 1,946 passed; 1 failed before the change, too; flaky, not charged: f"},
		"many fail":           {[]gate.Report{pass, fail}, gate.Fail, "whole suite: 7 tests outside of the scope fail with this change: t0, t1, t2, t3, t4 and 2 more"},
		"it does not compile": {[]gate.Report{build, late}, gate.Fail, "whole suite: 1 test outside of the scope fails with this change: a.go:3: undefined: Add"},
		"it hangs":            {[]gate.Report{late}, gate.Error, "whole suite: not finished: go test did not end within 5m0s and was stopped; 12 of 12 passed so far"},
		"nothing to compare":  {[]gate.Report{advisory}, gate.Error, "whole suite: not finished: 2 failed (could not run before the change: nothing to compare with); 12 of 12 passed so far"},
	} {
		s := suiteIn(t, "/a", "1")
		s.reach(SuiteCount{12, 12})
		result := s.conclude(c.reports, nil)
		require.Equal(t, c.text, result.Text, name)
		require.Equal(t, c.verdict, result.Verdict, name)
	}
	s := suiteIn(t, "/a", "1")
	require.Equal(t, "whole suite: not finished within 30m0s; 0 of 0 passed so far", s.conclude(nil, context.DeadlineExceeded).Text)
	require.Equal(t, "7 tests: t0, t1, t2, t3, t4 and 2 more", s.conclude([]gate.Report{fail}, nil).Fails())
}

// The last report of each suite behind a run's end is kept with the run.
func TestSuiteReports_AreTheLastOnes(t *testing.T) {
	t.Parallel()
	said := func(node, gateName, summary string) event.Event {
		return event.Event{Data: event.GateFinished{Node: node, Report: gate.Report{Gate: gateName, Summary: summary}}}
	}
	got := SuiteReports([]event.Event{said("review", "go test", "1"), said(SuiteNode, "go test", "2"), said(SuiteNode, "pytest", "3"), said(SuiteNode, "go test", "4")})
	require.Equal(t, []gate.Report{{Gate: "pytest", Summary: "3"}, {Gate: "go test", Summary: "4"}}, got)
}
