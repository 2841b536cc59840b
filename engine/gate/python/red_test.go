package python

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
)

func TestRed_IsANewTestThatFails(t *testing.T) {
	t.Parallel()
	failed := gate.Finding{Path: "test_a.py", Rule: testrun.RuleTest, Test: "test_a.test_new", Message: "assert 1 == 2"}
	inCode := gate.Finding{Path: "calc.py", Rule: testrun.RuleTest, Test: "test_a.test_new", Message: "KeyError: 'a'"}
	old := gate.Finding{Path: "test_a.py", Rule: testrun.RuleTest, Test: "test_a.test_old", Message: "at 12:01"}
	oldAgain := gate.Finding{Path: "test_a.py", Line: 9, Rule: testrun.RuleTest, Test: "test_a.test_old", Message: "at 12:02"}
	missing := gate.Finding{Path: "test_b.py", Line: 1, Rule: testrun.RuleImport, Message: "ImportError: cannot import name 'new' from 'calc'"}
	testSyntax := gate.Finding{Path: "test_b.py", Rule: testrun.RuleSyntax, Message: "SyntaxError: invalid syntax"}
	codeSyntax := gate.Finding{Path: "calc.py", Rule: testrun.RuleSyntax, Message: "SyntaxError: invalid syntax"}
	lateSyntax := gate.Finding{Path: "calc.py", Rule: testrun.RuleSyntax, Test: "test_a.test_new", Message: "SyntaxError: invalid syntax"}
	fixture := gate.Finding{Path: "test_b.py", Rule: testrun.RuleFixture, Test: "test_b.test_x", Message: "fixture 'x' not found"}
	collect := gate.Finding{Path: "test_b.py", Rule: testrun.RuleCollect, Message: "RuntimeError: at once"}
	ended := gate.Finding{Path: "conftest.py", Rule: testrun.RuleSession, Message: "the run ended with SystemExit: 0"}
	after := gate.Finding{Rule: testrun.RuleAfter, Message: "once all tests had ended, the run ended with ExceptionGroup: 2 warnings"}
	pass := gate.Report{Verdict: gate.Pass, Executed: 3}
	none := gate.Report{Verdict: gate.NotRun, Summary: "no tests"}
	broke := gate.Report{Verdict: gate.Error, Summary: "timed out"}
	fails := func(f ...gate.Finding) gate.Report { return gate.Report{Verdict: gate.Fail, Findings: f} }
	for name, test := range map[string]struct {
		before, after gate.Report
		reason        string // empty means red
	}{
		"a new test fails":                      {pass, fails(failed), ""},
		"a new test fails in the code":          {pass, fails(inCode), ""},
		"the first test of a project fails":     {none, fails(failed), ""},
		"a new test fails beside an old one":    {fails(old), fails(oldAgain, failed), ""},
		"a test imports what is not there":      {pass, fails(missing), ""},
		"it did so before":                      {fails(missing), fails(missing), "no new test fails"},
		"nothing fails":                         {pass, pass, "prove nothing"},
		"nothing ran":                           {pass, none, "were not seen to fail (not-run)"},
		"the gate broke":                        {pass, broke, "were not seen to fail (error): timed out"},
		"what was before is not known":          {broke, fails(failed), "not known"},
		"only what failed before":               {fails(old), fails(oldAgain), "no new test fails"},
		"the test is no Python":                 {pass, fails(testSyntax), "the new tests are no Python: test_b.py"},
		"the code is no Python":                 {pass, fails(missing, codeSyntax), "the code outside of the tests does not compile: calc.py"},
		"the code is no Python, as a test says": {pass, fails(failed, lateSyntax), "the code outside of the tests does not compile: calc.py"},
		"a fixture is missing":                  {pass, fails(fixture), "cannot be run as they are: test_b.py"},
		"a module raises":                       {pass, fails(collect), "cannot be run as they are: test_b.py"},
		"something ends the run":                {pass, fails(failed, ended), "cannot be run as they are: conftest.py"},
		"something ends the run afterwards":     {pass, fails(failed, after), ""},
		"only the end of the run":               {pass, fails(after), "no new test fails"},
		"a fail that says nothing is not red":   {pass, fails(), "no new test fails"},
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

// The rules that Red goes by are those that real output gets.
func TestRed_JudgesRecordedRuns(t *testing.T) {
	t.Parallel()
	red := map[string]bool{
		"fail": true, "raises": true, "import-name": true, "import-module": true, "import-attribute": true, "import-beside-others": true,
		"syntax-of-a-text": true, "class": true, "unittest-class": true, "setup-error": true,
		"pass": false, "skipped": false, "no-tests": false, "no-fixture": false, "syntax-in-test": false, "syntax-in-code": false,
		"syntax-in-code-late": false, "collect-raises": false, "exit-in-module": false, "os-exit-in-module": false, "exit-in-conftest": false,
		"conftest-import": false, "conftest-syntax": false, "bad-option": false, "bad-toml": false, "conftest-breaks-pytest": false,
	}
	before := gate.Report{Verdict: gate.Pass, Executed: 1}
	for _, r := range load(t, "testdata/pytest.txtar") {
		want, known := red[r.name]
		if !known {
			continue
		}
		delete(red, r.name)
		ok, reason := Red(before, r.session().report(gate.Report{Gate: nameTest, Tests: true}))
		require.Equal(t, want, ok, "%s: %s", r.name, reason)
		require.Equal(t, want, reason == "", r.name)
	}
	require.Empty(t, red, "these were not recorded")
}
