package golang

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestRed_IsANewTestThatFails(t *testing.T) {
	t.Parallel()
	failed := gate.Finding{Path: "a_test.go", Rule: ruleTest, Test: "m.TestNew", Message: "want 2"}
	old := gate.Finding{Path: "a_test.go", Rule: ruleTest, Test: "m.TestOld", Message: "at 12:01"}
	oldAgain := gate.Finding{Path: "a_test.go", Line: 9, Rule: ruleTest, Test: "m.TestOld", Message: "at 12:02"}
	inTest := gate.Finding{Path: "a_test.go", Rule: ruleCompile, Message: "undefined: New"}
	own := func(message string) gate.Report {
		return gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{inTest, {Path: "a_test.go", Line: 4, Rule: ruleCompile, Message: message}}}
	}
	inCode := gate.Finding{Path: "a.go", Rule: ruleCompile, Message: "undefined: New"}
	module := gate.Finding{Rule: ruleModule, Message: "updates to go.mod needed"}
	outside := gate.Finding{Rule: ruleTest, Message: "m: the package failed outside a test"}
	pass := gate.Report{Verdict: gate.Pass, Executed: 3}
	none := gate.Report{Verdict: gate.NotRun, Summary: "no tests"}
	broke := gate.Report{Verdict: gate.Error, Summary: "timed out"}
	fails := func(f ...gate.Finding) gate.Report { return gate.Report{Verdict: gate.Fail, Findings: f} }
	for name, test := range map[string]struct {
		before, after gate.Report
		reason        string // empty means red
	}{
		"a new test fails":                    {pass, fails(failed), ""},
		"the first test of a project fails":   {none, fails(failed), ""},
		"a new test fails beside an old one":  {fails(old), fails(oldAgain, failed), ""},
		"a test names what is not there":      {pass, fails(inTest), ""},
		"a test has an unused variable":       {pass, own("declared and not used: last"), "not because something is missing: a_test.go:4: declared and not used: last"},
		"a test has an unused import":         {pass, own(`"os" imported and not used`), "not because something is missing"},
		"a test is no Go":                     {pass, own("syntax error: unexpected newline, expected }"), "not because something is missing"},
		"a test calls with too few arguments": {pass, own("not enough arguments in call to Add\n\thave (number)\n\twant (int, int)"), ""},
		"a test uses a missing field":         {pass, own("p.Period undefined (type P has no field or method Period)"), ""},
		"nothing fails":                       {pass, pass, "prove nothing"},
		"nothing ran":                         {pass, none, "were not seen to fail (not-run)"},
		"the gate broke":                      {pass, broke, "were not seen to fail (error): timed out"},
		"what was before is not known":        {broke, fails(failed), "not known"},
		"only what failed before":             {fails(old), fails(oldAgain), "no new test fails"},
		"the code does not build":             {pass, fails(inTest, inCode), "outside the tests does not build: a.go"},
		"the module is broken":                {pass, fails(module), "does not build"},
		"a package fails without a test":      {pass, fails(outside), "no new test fails"},
		"a fail that says nothing is not red": {pass, fails(), "no new test fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok, reason := Red(test.before, test.after)
			require.Equal(t, test.reason == "", ok, reason)
			if test.reason == "" {
				require.Empty(t, reason)
			} else {
				require.Contains(t, reason, test.reason)
			}
		})
	}
}

// The whole way of tests first, with the real tools.
func TestRed_ThenGreen(t *testing.T) {
	t.Parallel()
	added := "-- b_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tif B() != 2 {\n\t\tt.Fatal(\"want 2\")\n\t}\n}\n"
	before := run(t, machine(), "go test", write(t, code+passes))
	require.Equal(t, gate.Pass, before.Verdict)

	red := run(t, machine(), "go test", write(t, code+passes+added))
	ok, reason := Red(before, red)
	require.True(t, ok, reason)

	green := run(t, machine(), "go test", write(t, code+passes+added+"-- b.go --\npackage a\n\nfunc B() int { return 2 }\n"))
	require.Equal(t, gate.Pass, green.Verdict, green.Summary)
	require.Equal(t, 2, green.Executed)
	ok, _ = Red(before, green)
	require.False(t, ok, "green is not red")
}

// What the compiler says of a variable that nothing uses is a mistake of the test, and what it says of one that only a missing function uses is not.
func TestRed_TestsMustCompileButForWhatIsMissing(t *testing.T) {
	t.Parallel()
	before := run(t, machine(), "go test", write(t, code+passes))
	for body, want := range map[string]string{
		"last := 1\n\tB()":         "declared and not used: last",
		"last := 1\n\t_ = B(last)": "",
		"B(":                       "expected operand",
	} {
		added := "-- b_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\t" + body + "\n}\n"
		ok, reason := Red(before, run(t, machine(), "go test", write(t, code+passes+added)))
		require.Equal(t, want == "", ok, reason)
		require.Contains(t, reason, want)
	}
}
