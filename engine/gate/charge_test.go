package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestOpen_NeedsAPassOfEachThatDecides(t *testing.T) {
	t.Parallel()
	pass := Report{Verdict: Pass}
	require.True(t, Open([]Report{pass, pass}))
	require.False(t, Verified(nil), "nothing checked is nothing verified")
	require.False(t, Verified([]Report{{Verdict: Pass, Weight: Advisory}}), "a pass that decides nothing verifies nothing")
	require.False(t, Verified([]Report{pass}), "nothing was executed")
	require.True(t, Verified([]Report{{Verdict: Pass, Executed: 1}}))
	for _, v := range []Verdict{NotRun, Fail, Error} {
		require.False(t, Open([]Report{pass, {Verdict: v}}), v.String())
	}
	require.False(t, Open([]Report{pass, {}}), "an empty report")
}

func TestBaseline_ChargesNewFindings(t *testing.T) {
	t.Parallel()
	format := func(line int) Finding {
		return Finding{Path: "a.go", Line: line, Severity: SeverityError, Rule: "gofmt", Message: "not formatted"}
	}
	clash := func(name, at string) Finding {
		return Finding{Path: "a.go", Rule: "compile", Message: "redeclared\na.go:" + at + ": other declaration of " + name}
	}
	fails := func(test, message string) Finding {
		return Finding{Path: "a_test.go", Severity: SeverityError, Rule: "test", Test: test, Message: message}
	}
	outside := func(pkg, message string) Finding {
		return Finding{Path: "a_test.go", Severity: SeverityError, Rule: "test", Message: message, Identity: pkg}
	}
	warning := Finding{Path: "a.go", Severity: SeverityWarning, Rule: "audit", Message: "look at it"}
	tests := func(verdict Verdict, executed int, findings ...Finding) Report {
		return Report{Gate: "go test", Tests: true, Verdict: verdict, Executed: executed, Passed: max(0, executed-len(findings)), Findings: findings, Summary: "said"}
	}
	files := func(verdict Verdict, executed int, findings ...Finding) Report {
		return Report{Gate: "gofmt", Verdict: verdict, Executed: executed, Findings: findings, Summary: "said"}
	}
	strict := func(r Report) Report {
		r.Strict = true
		return r
	}
	lacks := func(file, test, name string) Finding {
		return Finding{Path: file, Line: 1, Severity: SeverityError, Rule: "load", Test: test, Message: "there is no " + name, Absent: name}
	}
	held := func(r Report, names ...string) Report {
		r.PassedTests = names
		return r
	}
	unloaded := tests(Fail, 0, lacks("a.js", "", "core"), lacks("b.js", "", "core"))
	require.Equal(t, "go test: not executed: a.js, b.js; not installed: core", charge(unloaded, unloaded).Notice)
	require.Empty(t, charge(tests(Fail, 1, fails("a", "1")), tests(Fail, 1, fails("a", "1"))).Notice)
	for name, test := range map[string]struct {
		before, after Report
		verdict       Verdict
		left          []Finding
		summary       string
	}{
		"another file lacks the same package": {
			tests(Fail, 0, lacks("a.js", "", "core")), tests(Fail, 0, lacks("a.js", "", "core"), lacks("b.js", "", "core")), NotRun, nil,
			"go test: not executed: a.js, b.js; not installed: core",
		},
		"another file lacks another package": {
			tests(Fail, 0, lacks("a.js", "", "core")), tests(Fail, 0, lacks("b.js", "", "more")), Fail, []Finding{lacks("b.js", "", "more")}, "said",
		},
		"a test that passed lacks the package that others lacked": {
			held(tests(Fail, 2, lacks("a.js", "one", "core")), "two"), tests(Fail, 2, lacks("a.js", "one", "core"), lacks("b.js", "two", "core")), Fail,
			[]Finding{lacks("b.js", "two", "core")}, "said (1 more from before the change: one)",
		},
		"only what was there": {
			files(Fail, 2, format(3)), files(Fail, 2, format(9)), Pass, nil, "nothing new; 1 finding from before the change",
		},
		"one more of the same": {
			files(Fail, 2, format(3)), files(Fail, 2, format(3), format(9)), Fail, []Finding{format(9)}, "said (1 more from before the change)",
		},
		"the same in another file": {
			files(Fail, 2, Finding{Path: "b.go", Rule: "gofmt", Message: "not formatted"}), files(Fail, 2, format(9)), Fail, []Finding{format(9)}, "said",
		},
		"positions in a message do not count": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("A", "15:6")), Pass, nil, "nothing new; 1 finding from before the change",
		},
		"the message does": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("B", "5:6")), Fail, []Finding{clash("B", "5:6")}, "said",
		},
		"a new warning beside what was there": {
			files(Fail, 2, format(3)), files(Fail, 2, format(3), warning), Pass, []Finding{warning}, "nothing new; 1 finding from before the change",
		},
		"a new warning of a gate that is strict": {
			strict(files(Fail, 2, format(3))), strict(files(Fail, 2, format(3), warning)), Fail, []Finding{warning}, "said (1 more from before the change)",
		},
		"a new warning beside what is new": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("A", "5:6"), warning, format(3)), Fail, []Finding{warning, format(3)}, "said (1 more from before the change)",
		},
		"nothing there before": {
			files(Pass, 2), files(Fail, 2, format(9)), Fail, []Finding{format(9)}, "said",
		},
		"the same in the same words, whatever was executed": {
			files(Fail, 0, format(3)), files(Fail, 0, format(3)), Pass, nil, "nothing new; 1 finding from before the change",
		},
		"red without findings, now and before": {
			files(Fail, 1), files(Fail, 1), Fail, nil, "said (red before the change, too)",
		},
		"red without findings, green before": {
			files(Pass, 1), files(Fail, 1), Fail, nil, "said",
		},
		"it could not run before": {
			files(Error, 0), files(Fail, 2, format(3)), Fail, []Finding{format(3)}, "said (could not run before the change: nothing to compare with)",
		},
		"it can run neither before nor after": {
			files(NotRun, 0), files(Error, 0), Error, nil, "said (could not run before the change either)",
		},
		"it broke, and ran before": {
			files(Pass, 2), files(Error, 0), Error, nil, "said",
		},
		"fewer files are fine": {
			files(Pass, 2), files(Pass, 1), Pass, nil, "said",
		},
		"a test failed before, with another text": {
			tests(Fail, 3, fails("m.TestA", "at 12:01")), tests(Fail, 3, fails("m.TestA", "at 12:02")), Pass, nil, "nothing new; 1 finding from before the change: m.TestA",
		},
		"a package failed before, with another text": {
			tests(Fail, 3, outside("m", "at 12:01")), tests(Fail, 3, outside("m", "at 12:02")), Pass, nil, "nothing new; 1 finding from before the change",
		},
		"another package fails": {
			tests(Fail, 3, outside("m", "x")), tests(Fail, 3, outside("m", "x"), outside("n", "x")), Fail, []Finding{outside("n", "x")}, "said (1 more from before the change)",
		},
		"many tests failed before": {
			tests(Fail, 9, fails("m.TestA", "x"), fails("m.TestB", "x"), fails("m.TestC", "x"), fails("m.TestD", "x"), fails("m.TestE", "x")),
			tests(Fail, 9, fails("m.TestA", "x"), fails("m.TestB", "x"), fails("m.TestC", "x"), fails("m.TestD", "x"), fails("m.TestE", "x")), Pass, nil,
			"nothing new; 5 findings from before the change: m.TestA, m.TestB, m.TestC and 2 more",
		},
		"another test fails": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Fail, 3, fails("m.TestA", "x"), fails("m.TestB", "x")), Fail, []Finding{fails("m.TestB", "x")}, "said (1 more from before the change: m.TestA)",
		},
		"fewer tests": {
			tests(Pass, 3), tests(Pass, 2), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "1 test fewer executed than before the change (2, were 3)"}}, "1 test fewer executed than before the change (2, were 3)",
		},
		"fewer tests, the failing one deleted": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Pass, 1), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "2 tests fewer executed than before the change (1, were 3)"}}, "2 tests fewer executed than before the change (1, were 3)",
		},
		"fewer tests, the rest known": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Fail, 2, fails("m.TestA", "x")), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "1 test fewer executed than before the change (2, were 3)"}}, "1 test fewer executed than before the change (2, were 3)",
		},
		"as many tests": {tests(Pass, 3), tests(Pass, 3), Pass, nil, "said"},
		"more tests":    {tests(Pass, 3), tests(Pass, 4), Pass, nil, "said"},
		"no tests any more": {
			tests(Pass, 3), tests(NotRun, 0), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "3 tests fewer executed than before the change (0, were 3)"}}, "3 tests fewer executed than before the change (0, were 3)",
		},
		"an error stays an error": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Error, 3, fails("m.TestA", "x")), Error, []Finding{fails("m.TestA", "x")}, "said",
		},
		"a place that was looked up may be another one": {
			tests(Fail, 3, Finding{Path: "b_test.go", Line: 1, Inferred: true, Rule: "test", Message: "m: it ended"}),
			tests(Fail, 3, Finding{Path: "a_test.go", Line: 1, Inferred: true, Rule: "test", Message: "m: it ended"}), Pass, nil, "nothing new; 1 finding from before the change",
		},
		"before is of another gate": {
			tests(Fail, 3, format(1)), files(Fail, 3, format(1)), Fail, []Finding{format(1)}, "said",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := []Report{test.before}, []Report{test.after}
			got := Baseline(before, after)
			require.Len(t, got, 1)
			require.Equal(t, test.verdict.String(), got[0].Verdict.String())
			require.Empty(t, cmp.Diff(test.left, got[0].Findings))
			require.Equal(t, test.summary, got[0].Summary)
			require.Empty(t, cmp.Diff(test.after, after[0]), "the arguments are not changed")
		})
	}
}

// A gate decides after the change if it ran before it, and a linter only if it was green then.
func TestBaseline_Weight(t *testing.T) {
	t.Parallel()
	found := []Finding{{Path: "a.go", Severity: SeverityError, Rule: "style", Message: "too long"}}
	for name, test := range map[string]struct {
		before, after Report
		weight        Weight
		open          bool
	}{
		"a tool that was missing":         {Report{}, Report{}, Advisory, true},
		"a tool that is missing now":      {Report{Verdict: Pass, Executed: 1}, Report{}, Required, false},
		"a time-out that was there":       {Report{Verdict: Error}, Report{Verdict: Error}, Advisory, true},
		"a time-out that was not":         {Report{Verdict: Pass, Executed: 1}, Report{Verdict: Error}, Required, false},
		"nothing to check":                {Report{Empty: true}, Report{Empty: true}, Advisory, true},
		"its last file went":              {Report{Verdict: Pass, Executed: 1}, Report{Empty: true}, Advisory, true},
		"its last test went":              {Report{Verdict: Pass, Executed: 1, Tests: true}, Report{Empty: true}, Required, false},
		"the first tests fail":            {Report{Empty: true}, Report{Verdict: Fail, Executed: 1, Findings: found}, Required, false},
		"a linter that was green":         {Report{Verdict: Pass, Executed: 1}, Report{Verdict: Fail, Executed: 1, Findings: found, Weight: WhenGreen}, WhenGreen, false},
		"a linter that was red":           {Report{Verdict: Fail, Executed: 1}, Report{Verdict: Fail, Executed: 1, Findings: found, Weight: WhenGreen}, Advisory, true},
		"a build that was red":            {Report{Verdict: Fail, Executed: 1}, Report{Verdict: Fail, Executed: 1, Findings: found}, Required, false},
		"a formatter that was green":      {Report{Verdict: Pass, Executed: 1}, Report{Verdict: Fail, Executed: 1, Findings: found, Weight: Advisory}, Advisory, true},
		"failing without a finding":       {Report{Verdict: Fail, Executed: 1}, Report{Verdict: Fail, Executed: 1}, Advisory, true},
		"it could not run, and fails now": {Report{Verdict: Error}, Report{Verdict: Fail, Executed: 1, Findings: found}, Advisory, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Baseline([]Report{test.before}, []Report{test.after})
			require.Equal(t, test.weight.String(), got[0].Weight.String())
			require.Equal(t, test.open, Open(got))
		})
	}
}

func TestConfirm_FlakyIsNotCharged(t *testing.T) {
	t.Parallel()
	said := func(verdict Verdict, held []string, failed ...string) Report {
		r := Report{Gate: "test", Tests: true, Verdict: verdict, PassedTests: held, Passed: len(held), Executed: len(held) + len(failed), Summary: "said"}
		for _, test := range failed {
			r.Findings = append(r.Findings, Finding{Test: test, Severity: SeverityError, Message: "no"})
		}
		return r
	}
	for name, test := range map[string]struct {
		first, second Report
		verdict       Verdict
		flaky         []string
		held          []string
	}{
		"it passes the second time": {said(Fail, []string{"a"}, "b"), said(Pass, []string{"a", "b"}), Pass, []string{"b"}, []string{"a", "b"}},
		"it fails twice":            {said(Fail, []string{"a"}, "b"), said(Fail, []string{"a"}, "b"), Fail, nil, []string{"a"}},
		"another one fails":         {said(Fail, []string{"a"}, "b"), said(Fail, []string{"b"}, "a"), Pass, []string{"a", "b"}, []string{"a", "b"}},
		"one of two fails twice":    {said(Fail, nil, "a", "b"), said(Fail, []string{"a"}, "b"), Fail, []string{"a"}, []string{"a"}},
		"the second says nothing":   {said(Fail, []string{"a"}, "b"), Report{Verdict: Error}, Fail, nil, []string{"a"}},
		"the first broke":           {Report{Verdict: Error}, said(Pass, []string{"a"}), Pass, nil, []string{"a"}},
		"it passes alone":           {said(Fail, []string{"a", "c"}, "b"), said(Pass, []string{"b"}), Pass, []string{"b"}, []string{"a", "b", "c"}},
		"one of two passes alone":   {said(Fail, []string{"a", "c"}, "b", "d"), said(Fail, []string{"b"}, "d"), Fail, []string{"b"}, []string{"a", "b", "c"}},
		"it fails alone":            {said(Fail, []string{"a", "c"}, "b"), said(Fail, nil, "b"), Fail, nil, []string{"a", "c"}},
		"red without a test":        {said(Fail, []string{"a"}), said(Fail, []string{"a"}), Fail, nil, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Confirm(test.first, test.second)
			require.Equal(t, test.verdict.String(), got.Verdict.String())
			require.Equal(t, test.flaky, got.Flaky)
			require.Equal(t, test.held, got.PassedTests)
			require.LessOrEqual(t, len(got.PassedTests), got.Passed)
			if test.first.Executed > test.second.Executed {
				require.Equal(t, test.first.Executed, got.Executed, "what was run again is not all that was executed")
			}
		})
	}
}
