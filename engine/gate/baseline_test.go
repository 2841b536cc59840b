package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	pass := Report{Verdict: Pass}
	require.True(t, Open([]Report{pass, pass}))
	require.False(t, Open(nil), "nothing checked is nothing passed")
	for _, v := range []Verdict{NotRun, Fail, Error} {
		require.False(t, Open([]Report{pass, {Verdict: v}}), v.String())
	}
	require.False(t, Open([]Report{pass, {}}), "a report nobody filled in")
}

func TestBaseline(t *testing.T) {
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
	warning := Finding{Path: "a.go", Severity: SeverityWarning, Rule: "audit", Message: "look at it"}
	tests := func(verdict Verdict, executed int, findings ...Finding) Report {
		return Report{Gate: "go test", Tests: true, Verdict: verdict, Executed: executed, Findings: findings, Summary: "said"}
	}
	files := func(verdict Verdict, executed int, findings ...Finding) Report {
		return Report{Gate: "gofmt", Verdict: verdict, Executed: executed, Findings: findings, Summary: "said"}
	}
	strict := func(r Report) Report {
		r.Strict = true
		return r
	}
	for name, test := range map[string]struct {
		before, after Report
		verdict       Verdict
		left          []Finding
		summary       string
	}{
		"only what was there": {
			files(Fail, 2, format(3)), files(Fail, 2, format(9)), Pass, nil, "nothing new; 1 finding from before the run ignored",
		},
		"one more of the same": {
			files(Fail, 2, format(3)), files(Fail, 2, format(3), format(9)), Fail, []Finding{format(9)}, "said (1 from before the run ignored)",
		},
		"the same in another file": {
			files(Fail, 2, Finding{Path: "b.go", Rule: "gofmt", Message: "not formatted"}), files(Fail, 2, format(9)), Fail, []Finding{format(9)}, "said",
		},
		"positions in a message do not count": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("A", "15:6")), Pass, nil, "nothing new; 1 finding from before the run ignored",
		},
		"the message does": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("B", "5:6")), Fail, []Finding{clash("B", "5:6")}, "said",
		},
		"a new warning beside what was there": {
			files(Fail, 2, format(3)), files(Fail, 2, format(3), warning), Pass, []Finding{warning}, "nothing new; 1 finding from before the run ignored",
		},
		"a new warning of a gate that is strict": {
			strict(files(Fail, 2, format(3))), strict(files(Fail, 2, format(3), warning)), Fail, []Finding{warning}, "said (1 from before the run ignored)",
		},
		"a new warning beside what is new": {
			files(Fail, 2, clash("A", "5:6")), files(Fail, 2, clash("A", "5:6"), warning, format(3)), Fail, []Finding{warning, format(3)}, "said (1 from before the run ignored)",
		},
		"nothing there before": {
			files(Pass, 2), files(Fail, 2, format(9)), Fail, []Finding{format(9)}, "said",
		},
		"nothing executed is no pass": {
			files(Fail, 2, format(3)), files(Fail, 0, format(3)), Fail, nil, "said (1 from before the run ignored)",
		},
		"fewer files are fine": {
			files(Pass, 2), files(Pass, 1), Pass, nil, "said",
		},
		"a test failed before, with another text": {
			tests(Fail, 3, fails("m.TestA", "at 12:01")), tests(Fail, 3, fails("m.TestA", "at 12:02")), Pass, nil, "nothing new; 1 finding from before the run ignored",
		},
		"another test fails": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Fail, 3, fails("m.TestA", "x"), fails("m.TestB", "x")), Fail, []Finding{fails("m.TestB", "x")}, "said (1 from before the run ignored)",
		},
		"fewer tests": {
			tests(Pass, 3), tests(Pass, 2), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "1 test fewer executed than before the run (2, were 3)"}}, "1 test fewer executed than before the run (2, were 3)",
		},
		"fewer tests, the failing one deleted": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Pass, 1), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "2 tests fewer executed than before the run (1, were 3)"}}, "2 tests fewer executed than before the run (1, were 3)",
		},
		"fewer tests, the rest known": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Fail, 2, fails("m.TestA", "x")), Fail, []Finding{{Severity: SeverityError, Rule: "missing-tests", Message: "1 test fewer executed than before the run (2, were 3)"}}, "1 test fewer executed than before the run (2, were 3)",
		},
		"as many tests": {tests(Pass, 3), tests(Pass, 3), Pass, nil, "said"},
		"more tests":    {tests(Pass, 3), tests(Pass, 4), Pass, nil, "said"},
		"no tests any more stays not run": {
			tests(Pass, 3), tests(NotRun, 0), NotRun, nil, "said",
		},
		"an error stays an error": {
			tests(Fail, 3, fails("m.TestA", "x")), tests(Error, 3, fails("m.TestA", "x")), Error, []Finding{fails("m.TestA", "x")}, "said",
		},
		"a place that was looked up may be another one": {
			tests(Fail, 3, Finding{Path: "b_test.go", Line: 1, Inferred: true, Rule: "test", Message: "m: it ended"}),
			tests(Fail, 3, Finding{Path: "a_test.go", Line: 1, Inferred: true, Rule: "test", Message: "m: it ended"}), Pass, nil, "nothing new; 1 finding from before the run ignored",
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
