package pipeline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

// reporting makes a gate that gives these reports, one at each execution, and the last one from then on.
func reporting(name string, reports ...gate.Report) gateFunc {
	turn := 0
	return gateFunc{name, func(map[string]string) gate.Report {
		report := reports[min(turn, len(reports)-1)]
		turn++
		return report
	}}
}

// A tool that is missing, was red before, or broke before the change keeps no change back; one that turns red does.
func TestReview_ChargesNewFindings(t *testing.T) {
	t.Parallel()
	pass := gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
	missing := gate.Report{Summary: "ruff is not installed"}
	broken := gate.Report{Verdict: gate.Error, Summary: "ruff did not end within 5m"}
	red := func(message string) gate.Report {
		return gate.Report{Verdict: gate.Fail, Summary: message, Findings: []gate.Finding{{Path: "a", Severity: gate.SeverityError, Message: message}}}
	}
	for name, test := range map[string]struct {
		weight  gate.Weight
		reports []gate.Report
		state   event.State
	}{
		"a missing tool":                 {gate.Required, []gate.Report{missing}, event.Succeeded},
		"a time-out before and after":    {gate.Required, []gate.Report{broken}, event.Succeeded},
		"red in the same words":          {gate.Required, []gate.Report{red("no files were found in testpaths")}, event.Succeeded},
		"red in other words":             {gate.Required, []gate.Report{red("one"), red("two")}, event.Failed},
		"a linter that turns red":        {gate.WhenGreen, []gate.Report{pass, red("two")}, event.Failed},
		"a linter that was red":          {gate.WhenGreen, []gate.Report{red("one"), red("two")}, event.Succeeded},
		"a formatter that turns red":     {gate.Advisory, []gate.Report{pass, red("two")}, event.Succeeded},
		"nothing to check":               {gate.Required, []gate.Report{{Empty: true}}, event.Succeeded},
		"nothing to check any more":      {gate.Required, []gate.Report{pass, {Empty: true}}, event.Succeeded},
		"a tool that is gone in between": {gate.Required, []gate.Report{pass, missing}, event.Blocked},
		"a time-out that was not there":  {gate.Required, []gate.Report{pass, broken}, event.Failed},
		"a time-out that happens once":   {gate.Required, []gate.Report{pass, broken, pass}, event.Succeeded},
		"a time-out that hid a finding":  {gate.Required, []gate.Report{pass, broken, red("two")}, event.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
			e.env.Attempts = 1
			e.check(reporting("lint", test.reports...))
			e.env.Project.Weights = map[string]gate.Weight{"lint": test.weight}
			result := e.run(t)
			require.Equal(t, test.state, result.State, result.Reason)
		})
	}
}

// A test that fails once and passes when it is run again is flaky: it is reported, and costs no attempt.
func TestReview_FlakyTestCostsNoAttempt(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	turn := 0
	flaky := gateFunc{"test", func(files map[string]string) gate.Report {
		report := namedGate(false).run(files)
		if turn++; turn == 3 { // the baseline, the tests that are red, and now
			report.Verdict, report.PassedTests = gate.Fail, []string{"b_test"}
			report.Findings = []gate.Finding{{Path: "a_test", Line: 1, Severity: gate.SeverityError, Test: "a_test", Message: "a race"}}
		}
		return report
	}}
	e.kit.Gate = func(string) gate.Gate { return flaky }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, 4, turn)
	last := e.finished("test")
	require.Equal(t, []string{"a_test"}, last[len(last)-1].Flaky)
	require.Contains(t, last[len(last)-1].Summary, "flaky, not charged: a_test")
	require.Contains(t, e.prompts("review")[0], "flaky, not charged: a_test")
}

// A test that fails each time is no flaky one.
func TestReview_TestThatFailsTwiceIsCharged(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: i, files: [{path: a, action: write, content: zero}, {path: b, action: create, content: two}]`)+reviewPass)
	e.env.Attempts = 1
	e.kit.Gate = func(string) gate.Gate { return namedGate(false) }
	result := e.run(t)
	require.Equal(t, event.Failed, result.State)
	require.Contains(t, result.Reason, "a_test")
}

// A test whose statement the change replaces needs no user: it was seen to fail on the old code, and passes on the new. One that is
// weakened does.
func TestReview_ReplacedTestNeedsNoUser(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tests, code string
		state       event.State
	}{
		"replaced": {unoAnswer, unoCode, event.Succeeded},
		"weakened": {`explanation: "a_test asks for less, and b_test is new", files: [{path: a_test, action: write, content: n}, {path: b_test, action: create, content: two}]`,
			`explanation: i, files: [{path: a, action: write, content: nil}, {path: b, action: create, content: two}]`, event.Failed},
		"removed": {`explanation: "a_test is about what goes", files: [{path: a_test, action: delete, content: ""}, {path: b_test, action: create, content: two}]`,
			`explanation: i, files: [{path: a, action: write, content: nil}, {path: b, action: create, content: two}]`, event.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply("You write tests", test.tests)+reply(implementing, test.code)+reviewPass)
			e.env.Attempts = 1
			e.kit.Gate = func(string) gate.Gate { return namedGate(false) }
			var asked []event.Question
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				asked = append(asked, q)
				return event.Answer{Choice: q.Default}, nil
			})
			result := e.run(t)
			require.Equal(t, test.state, result.State, result.Reason)
			require.Len(t, asked, 1)
			said := e.finished("regression")
			require.Len(t, said, 1)
			if test.state != event.Succeeded {
				require.Equal(t, "reject", asked[0].Default)
				require.Equal(t, gate.Fail, said[0].Verdict)
				return
			}
			require.Equal(t, "1 existing test changed. Is that wanted?", asked[0].Title)
			require.Equal(t, "1 existing test changed: a_test", said[0].Summary)
			require.Contains(t, e.prompts("review")[0], "1 existing test changed: a_test")
		})
	}
}

// A test that passes as it was goes by the word of the user only, also where nothing else is wrong.
func TestReview_RemovedTestThatStillPassesNeedsAUser(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", `explanation: "a_test is not needed", files: [{path: a_test, action: delete, content: ""}, {path: b_test, action: create, content: two}]`)+writeRight+reviewPass)
	e.env.Attempts = 1
	e.kit.Gate = func(string) gate.Gate { return namedGate(false) }
	var asked []event.Question
	e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		asked = append(asked, q)
		return event.Answer{Choice: q.Default}, nil
	})
	result := e.run(t)
	require.Equal(t, event.Failed, result.State, result.Reason)
	require.Len(t, asked, 1)
	require.Contains(t, asked[0].Detail, "a_test passes as it is today, and the change removes it")
}

// If there are tests and none can run, other passing gates verify nothing.
func TestReview_NotVerifiedWhereTestsCannotRun(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", `explanation: t, files: [{path: b_test, action: create, content: two}]`)+writeRight+reviewPass)
	build := gateFunc{"build", func(map[string]string) gate.Report { return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1} }}
	e.env.Project = project(build)
	e.kit.Gate = func(name string) gate.Gate {
		if name == "build" {
			return build
		}
		return gateFunc{name, func(map[string]string) gate.Report { return gate.Report{Summary: "pytest is not installed"} }}
	}
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State, result.Reason)
	require.Contains(t, result.Reason, "no test was executed, and there are some")
	require.NotEmpty(t, result.Unverified)
}
