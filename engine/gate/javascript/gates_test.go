package javascript

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/sandbox"
)

// whole is a project that has all gates.
var whole = map[string]string{
	"package.json": `{"scripts": {"test": "jest"}, "prettier": {}}`, "eslint.config.js": "", "tsconfig.json": "{}", "a.js": "",
	"bin:prettier": "", "bin:eslint": "", "bin:tsc": "", "bin:jest": "",
}

const passing = `{"numTotalTests":1,"success":true,"testResults":[{"name":"a.test.js","status":"passed","message":"",` +
	`"assertionResults":[{"ancestorTitles":["s"],"title":"x","status":"passed","failureMessages":[]}]}]}` + "\n"

// Every gate, with tools that misbehave: whatever cannot be understood is not a pass.
func TestGates_DoNotPassWhereAToolMisbehaves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tool    canned
		gates   []string // empty: all
		verdict gate.Verdict
		summary string
	}{
		{"fails with nonsense", canned{result: sandbox.Result{ExitCode: 2, Stderr: []byte("%!& what\n")}}, nil, gate.Error, "ended with code 2 and said: %!& what"},
		{"fails and says nothing", canned{result: sandbox.Result{ExitCode: 2}}, nil, gate.Error, "ended with code 2 and said:"},
		{"killed", canned{result: sandbox.Result{ExitCode: -1}}, nil, gate.Error, "code -1"},
		{"does not end", canned{result: sandbox.Result{TimedOut: true, ExitCode: -1}}, nil, gate.Error, "did not end within"},
		{"does not start", canned{err: &sandbox.NotStartedError{Name: "node", Reason: "no", Err: fs.ErrNotExist}}, nil, gate.NotRun, "is not installed; see https://nodejs.org"},
		{"runner broken", canned{err: errors.New("broken")}, nil, gate.Error, "was stopped: broken"},
		{"says nothing at all", canned{}, []string{nameLint, nameTest}, gate.Fail, "something ends the process"},
		{"says nothing at all", canned{}, []string{nameFormat, nameTypes}, gate.NotRun, "no files"},
		{"says nothing at all", canned{}, []string{nameSyntax}, gate.Error, "code -1"},
		{"says it begins", canned{result: sandbox.Result{Stdout: []byte("Checking formatting...\n")}}, []string{nameFormat}, gate.Fail, "something ends the process"},
		{"passes", canned{result: sandbox.Result{Stdout: []byte(passing)}}, []string{nameTest}, gate.Pass, "1 test passed in 1 file"},
		{"passes, cut", canned{result: sandbox.Result{Stdout: []byte(passing), Truncated: true}}, []string{nameTest}, gate.Error, "more than can be read"},
		{"passes, then fails unexplained", canned{result: sandbox.Result{ExitCode: 1, Stdout: []byte(passing)}}, []string{nameTest}, gate.Error, "code 1"},
		{"half a report", canned{result: sandbox.Result{Stdout: []byte(passing[:len(passing)/2])}}, []string{nameTest}, gate.Fail, "something ends the process"},
		{"a report of nothing", canned{result: sandbox.Result{Stdout: []byte(`{"numTotalTests":0,"testResults":[]}`)}}, []string{nameTest}, gate.NotRun, "no tests"},
		{"no files are no pass", canned{result: sandbox.Result{Stdout: []byte("[]")}}, []string{nameLint}, gate.NotRun, "no files to lint"},
	} {
		t.Run(test.name+"/"+strings.Join(test.gates, ","), func(t *testing.T) {
			t.Parallel()
			tree := write(t, whole)
			for _, g := range Language(test.tool, t.TempDir()).Gates {
				if len(test.gates) > 0 && !strings.Contains(strings.Join(test.gates, "|"), g.Name()) {
					continue
				}
				if g.Name() == nameScript { // the project has no such steps
					continue
				}
				report := g.Run(t.Context(), tree)
				require.Equal(t, test.verdict.String(), report.Verdict.String(), "%s: %s", g.Name(), report.Summary)
				require.Contains(t, report.Summary, test.summary, g.Name())
				requireSound(t, report, g.Name())
			}
		})
	}
}

// A tool that the project wants and that is not installed is not run, and the report says what to do.
func TestGates_AreNotRunWithoutTheirTool(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": whole["package.json"], "eslint.config.js": "", "tsconfig.json": "{}", "yarn.lock": ""}
	tree := write(t, files)
	for _, name := range Language(canned{}, t.TempDir()).Select(t.Context(), tree) {
		report := gateNamed(t, canned{}, name).Run(t.Context(), tree)
		require.Equal(t, gate.NotRun, report.Verdict, name)
		require.False(t, report.Empty, name)
		require.Contains(t, report.Summary, "`yarn install` installs it", name)
	}
}

// A tool that is part of the folder that is checked is not started; the report says so.
func TestGates_StartNoToolOfTheTree(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{"package.json": `{"scripts": {"test": "jest"}}`, "node_modules/.bin/jest": ""})
	report := gateNamed(t, canned{}, nameTest).Run(t.Context(), tree)
	require.Equal(t, gate.NotRun, report.Verdict)
	require.False(t, report.Empty)
	require.Contains(t, report.Summary, "make git ignore node_modules")
}

// A script that ends well proves nothing if its report does not list the tests that it has executed.
func TestTests_NeedARunnerWithResultsByTest(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{"karma start": "is unknown", "eslint test": "runs no tests", "bun test": "bun is not installed", "ts-mocha test": "is unknown"} {
		report := gateNamed(t, canned{}, nameTest).Run(t.Context(), write(t, map[string]string{
			"package.json": `{"scripts": {"test": "` + script + `"}}`, "test/a.js": "", "bin:karma": "",
		}))
		require.Equal(t, gate.NotRun, report.Verdict)
		require.False(t, report.Empty)
		require.Contains(t, report.Summary, want)
	}
}

func TestManifest_ThatIsBrokenIsAFault(t *testing.T) {
	t.Parallel()
	report := gateNamed(t, canned{}, nameTest).Run(t.Context(), write(t, map[string]string{"package.json": `{"scripts": `}))
	require.Equal(t, gate.Fail, report.Verdict)
	require.Equal(t, "package.json", report.Findings[0].Path)
}

// several is a runner that answers by program.
type several map[string]sandbox.Result

func (s several) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	return canned{result: s[filepath.Base(c.Argv[0])]}.Run(context.Background(), c)
}

// The reports of several runners are one: each has to pass, and a file that only one of them has tests in is silent to the others.
func TestTests_OfSeveralRunnersAreOneReport(t *testing.T) {
	t.Parallel()
	project := map[string]string{"package.json": `{"scripts": {"test": "jest && node --test"}}`, "bin:jest": "", "a.test.js": ""}
	silent := sandbox.Result{Stdout: []byte(`{"t":"complete","n":"a.test.js","d":0,"f":"a.test.js","l":1,"c":1}` + "\n" + `{"t":"end"}` + "\n")}
	run := func(jest, node sandbox.Result) gate.Report {
		return gateNamed(t, several{"jest": jest, "node": node}, nameTest).Run(t.Context(), write(t, project))
	}
	ok := sandbox.Result{Stdout: []byte(passing)}
	require.Equal(t, gate.Pass, run(ok, silent).Verdict)
	require.Equal(t, []string{"a.test.js > s > x"}, run(ok, silent).PassedTests)
	other := sandbox.Result{Stdout: []byte(strings.ReplaceAll(passing, "a.test.js", "b.test.js"))}
	require.Equal(t, gate.Fail, run(other, silent).Verdict, "no runner has heard of a test in a.test.js")
	require.Equal(t, gate.Fail, run(ok, sandbox.Result{}).Verdict, "the second one was ended")
	require.Equal(t, gate.Error, run(ok, sandbox.Result{ExitCode: 3, Stderr: []byte("what")}).Verdict)
}

// asked is a runner that notes what it is asked to start.
type asked struct {
	sandbox.Result
	commands *[]sandbox.Command
}

func (a asked) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	*a.commands = append(*a.commands, c)
	return a.Result, nil
}

// A tsconfig.json that is made of others is built, with what they read of each other; any other one writes nothing.
func TestTypes_BuildProjectsOfProjects(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`{"files": [], "references": [{"path": "p"}]}`:        "-b --force",
		`{"include": ["src"], "references": [{"path": "p"}]}`: "-p tsconfig.json --noEmit",
	} {
		var commands []sandbox.Command
		tree := write(t, map[string]string{"package.json": "{}", "tsconfig.json": config, "bin:tsc": ""})
		gateNamed(t, asked{commands: &commands}, nameTypes).Run(t.Context(), tree)
		require.Equal(t, "./node_modules/.bin/tsc "+want+" --pretty false --listFiles", strings.Join(commands[0].Argv, " "))
	}
}

// A linter is started in the environment that the project's own script gives it: it chooses between two kinds of configuration.
func TestLint_KeepsTheEnvironmentOfTheScript(t *testing.T) {
	t.Parallel()
	var commands []sandbox.Command
	tree := write(t, map[string]string{
		"package.json": `{"scripts": {"lint": "cross-env ESLINT_USE_FLAT_CONFIG=false eslint src --fix"}}`, ".eslintrc.json": "{}", "bin:eslint": "",
	})
	gateNamed(t, asked{commands: &commands}, nameLint).Run(t.Context(), tree)
	require.Contains(t, commands[0].Env, "ESLINT_USE_FLAT_CONFIG=false")
	require.Equal(t, "src", commands[0].Argv[len(commands[0].Argv)-1])
}

// An option that old versions reject is given to those that know it, and to those whose version is unknown.
func TestLint_GivesOldVersionsNoOptionThatTheyReject(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{`{"version": "4.19.1"}`: false, `{"version": "6.8.0"}`: false, `{"version": "7.0.0"}`: true, `{"version": "10.1.0"}`: true, `{}`: true} {
		var commands []sandbox.Command
		tree := write(t, map[string]string{
			"package.json": `{"scripts": {"lint": "eslint src"}}`, ".eslintrc.json": "{}", "bin:eslint": "", "node_modules/eslint/package.json": version,
		})
		gateNamed(t, asked{commands: &commands}, nameLint).Run(t.Context(), tree)
		require.Equal(t, want, slices.Contains(commands[0].Argv, "--no-error-on-unmatched-pattern"), version)
	}
}

func TestRed_IsANewTestThatFails(t *testing.T) {
	t.Parallel()
	failed := gate.Finding{Path: "a.test.js", Line: 1, Rule: testrun.RuleTest, Test: "a.test.js > new", Message: "want 2"}
	inCode := gate.Finding{Path: "src/a.js", Line: 1, Rule: testrun.RuleTest, Test: "a.test.js > new", Message: "thrown"}
	old := gate.Finding{Path: "a.test.js", Line: 1, Rule: testrun.RuleTest, Test: "a.test.js > old", Message: "at 12:01"}
	missing := gate.Finding{Path: "a.test.js", Line: 1, Rule: testrun.RuleLoad, Message: "Cannot find module './new'"}
	syntax := gate.Finding{Path: "a.test.js", Line: 1, Rule: testrun.RuleSyntax, Message: "Unexpected token"}
	code := gate.Finding{Path: "src/a.js", Line: 1, Rule: testrun.RuleSyntax, Message: "Unexpected token"}
	exits := gate.Finding{Rule: testrun.RuleTest, Message: "something ends the process"}
	pass, none := gate.Report{Verdict: gate.Pass, Executed: 3}, gate.Report{Verdict: gate.NotRun, Summary: "no tests", Empty: true}
	broke := gate.Report{Verdict: gate.Error, Summary: "timed out"}
	fails := func(f ...gate.Finding) gate.Report { return gate.Report{Verdict: gate.Fail, Findings: f} }
	for name, test := range map[string]struct {
		before, after gate.Report
		reason        string // empty means red
	}{
		"a new test fails":                    {pass, fails(failed), ""},
		"a new test fails in the code":        {pass, fails(inCode), ""},
		"the first test of a project fails":   {none, fails(failed), ""},
		"beside an old one":                   {fails(old), fails(old, failed), ""},
		"a test asks for what is not there":   {pass, fails(missing), ""},
		"nothing fails":                       {pass, pass, "prove nothing"},
		"nothing ran":                         {pass, none, "were not seen to fail (not-run)"},
		"the gate broke":                      {pass, broke, "were not seen to fail (error): timed out"},
		"what was before is not known":        {broke, fails(failed), "not known"},
		"only what failed before":             {fails(old), fails(old), "no new test fails"},
		"a test has an unused variable":       {pass, fails(missing, gate.Finding{Path: "a.test.ts", Line: 3, Rule: testrun.RuleLoad, Message: "error TS6133: 'x' is declared but its value is never read."}), "not because something is missing: a.test.ts:3"},
		"a test names a missing function":     {pass, fails(gate.Finding{Path: "a.test.ts", Line: 3, Rule: testrun.RuleLoad, Message: "error TS2304: Cannot find name 'sum'."}), ""},
		"the test is no JavaScript":           {pass, fails(syntax), "a test cannot be read"},
		"the code is no JavaScript":           {pass, fails(failed, code), "outside the tests cannot be loaded: src/a.js:1"},
		"something ends the process":          {pass, fails(exits), "no new test fails"},
		"a fail that says nothing is not red": {pass, fails(), "no new test fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok, reason := Red(test.before, test.after)
			require.Equal(t, test.reason == "", ok, reason)
			if test.reason != "" {
				require.Contains(t, reason, test.reason)
			}
		})
	}
}
