package python

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// configured is a tree for which every gate is configured.
const configured = "-- a.py --\nX = 1\n-- test_a.py --\ndef test_a():\n    assert 1\n-- mypy.ini --\n[mypy]\n-- requirements.txt --\nblack\nruff\n"

// canned is a tool that prints a given text. witness and junit are what run.py and pytest would have written.
type canned struct {
	result         sandbox.Result
	err            error
	witness, junit string
}

func (c canned) Run(_ context.Context, command sandbox.Command) (sandbox.Result, error) {
	if len(command.Argv) > 2 && strings.HasSuffix(command.Argv[1], "run.py") {
		key, _ := io.ReadAll(command.Stdin)
		sum := sha256.Sum256([]byte(c.junit))
		witness := strings.Replace(c.witness, `{"what": "exit"`, `{"report": "`+hex.EncodeToString(sum[:])+`", "what": "exit"`, 1)
		_ = os.WriteFile(filepath.Join(command.Argv[2], "witness"), []byte(sign(witness, string(key))), 0o600)
		_ = os.WriteFile(filepath.Join(command.Argv[2], "junit.xml"), []byte(c.junit), 0o600)
	}
	return c.result, c.err
}

// recorder notes what is started, and says nothing.
type recorder struct{ commands []sandbox.Command }

func (r *recorder) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	r.commands = append(r.commands, c)
	return sandbox.Result{}, nil
}

const (
	began    = `{"what": "begin"}` + "\n" + `{"what": "runner", "name": "pytest"}` + "\n"
	oneTest  = began + `{"what": "collected", "count": 1}` + "\n" + `{"what": "start", "id": "test_a.py::test_a", "path": "test_a.py", "line": 1}` + "\n"
	oneEnded = oneTest + `{"what": "end", "id": "test_a.py::test_a"}` + "\n"
	onePass  = `<testsuites><testsuite><testcase classname="test_a" name="test_a" file="test_a.py" line="0"/></testsuite></testsuites>`
)

// Every gate, with tools that misbehave: whatever cannot be understood is not a pass.
func TestGates_DoNotPassWhereAToolMisbehaves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tool    canned
		gates   []string
		verdict gate.Verdict
		summary string
	}{
		{"fails with nonsense", canned{result: sandbox.Result{ExitCode: 2, Stderr: []byte("%!& what\n")}}, nil, gate.Error, "ended with code 2 and said: %!& what"},
		{"fails and says nothing", canned{result: sandbox.Result{ExitCode: 2}}, nil, gate.Error, "said: nothing"},
		{"says no, and nothing else", canned{result: sandbox.Result{ExitCode: 1}}, nil, gate.Error, "said: nothing"},
		{"killed", canned{result: sandbox.Result{ExitCode: -1}}, nil, gate.Error, "code -1"},
		{"fails with nonsense in the right language", canned{result: sandbox.Result{ExitCode: 1, Stdout: []byte("{}")}}, nil, gate.Error, "code 1"},
		{"does not end", canned{result: sandbox.Result{TimedOut: true, ExitCode: -1}}, nil, gate.Error, "did not end within"},
		{"does not start", canned{err: &sandbox.NotStartedError{Name: "x", Reason: "no"}}, nil, gate.NotRun, "could not start"},
		{"runner broken", canned{err: errors.New("broken")}, nil, gate.Error, "was stopped: broken"},
		{"says too much", canned{result: sandbox.Result{Truncated: true, Stdout: []byte("Compiling 'a.py'...\n")}}, []string{nameSyntax}, gate.Error, "more than can be read"},
		{"ends well and says nothing", canned{}, []string{nameSyntax, nameFormat}, gate.NotRun, "no Python files"},
		{"ends well and says nothing that is understood", canned{result: sandbox.Result{Stdout: []byte("all fine!\n")}}, []string{nameSecurity, nameComplexity, nameTest}, gate.Error, "all fine!"},
		{"a script without its package", canned{result: sandbox.Result{ExitCode: 1, Stderr: []byte("Traceback (most recent call last):\n  File \"x\"\nModuleNotFoundError: No module named 'bandit'\n")}}, []string{nameSecurity}, gate.NotRun, "bandit is not installed; `python -m pip install bandit` installs it"},
		{"one that misses another package", canned{result: sandbox.Result{ExitCode: 1, Stderr: []byte("ModuleNotFoundError: No module named 'yaml'\n")}}, []string{nameSecurity}, gate.Error, "No module named 'yaml'"},

		{"a traceback", canned{result: sandbox.Result{ExitCode: 1, Stderr: []byte("Traceback (most recent call last):\n  File \"/x.py\", line 1, in f\nValueError: no\n\n")}}, []string{nameFormat, nameSecurity}, gate.Error, "said: ValueError: no"},
		{"how it is used", canned{result: sandbox.Result{ExitCode: 2, Stderr: []byte("Usage: x [OPTIONS]\nTry 'x -h' for help.\n\nError: Invalid value for '-l'\n")}}, []string{nameFormat, nameSecurity}, gate.Error, "said: Error: Invalid value for '-l'"},
		{"tests pass", canned{witness: oneEnded + `{"what": "exit", "code": 0}`, junit: onePass}, []string{nameTest}, gate.Pass, "1 test passed"},
		{"tests pass, then fail unexplained", canned{result: sandbox.Result{ExitCode: 1}, witness: oneEnded + `{"what": "exit", "code": 1}`, junit: onePass}, []string{nameTest}, gate.Error, "code 1"},
		{"tests pass, and the process fails", canned{result: sandbox.Result{ExitCode: 9}, witness: oneEnded + `{"what": "exit", "code": 0}`, junit: onePass}, []string{nameTest}, gate.Error, "code 9"},
		{"tests fail, and the process hides it", canned{witness: oneEnded + `{"what": "exit", "code": 1}`, junit: onePass}, []string{nameTest}, gate.Error, "code 1"},
		{"tests pass, and there is no end", canned{witness: oneEnded, junit: onePass}, []string{nameTest}, gate.Fail, "the process ended before its tests had"},
		{"a report of tests that were never started", canned{witness: "", junit: onePass}, []string{nameTest}, gate.Error, "did not finish"},
		{"the report is cut off", canned{witness: oneEnded + `{"what": "exit", "code": 0}`, junit: onePass[:60]}, []string{nameTest}, gate.Error, "did not finish"},
		{"there is no report", canned{witness: oneEnded + `{"what": "exit", "code": 0}`}, []string{nameTest}, gate.Error, "did not finish"},
		{"fewer tests than were collected", canned{witness: strings.Replace(oneEnded, `"count": 1`, `"count": 3`, 1) + `{"what": "exit", "code": 0}`, junit: onePass}, []string{nameTest}, gate.Fail, "after 1 of 3 tests"},
		{"pytest is missing", canned{witness: `{"what": "begin"}` + "\n" + `{"what": "missing"}` + "\n" + `{"what": "exit", "code": 0}`}, []string{nameTest}, gate.NotRun, "pytest is not installed; `python -m pip install pytest` installs it"},
		{"what hangs is named", canned{result: sandbox.Result{TimedOut: true, ExitCode: -1}, witness: oneTest}, []string{nameTest}, gate.Error, "running: test_a.test_a"},
		{"what hangs when it is imported is named", canned{result: sandbox.Result{TimedOut: true, ExitCode: -1}, witness: began + `{"what": "collect", "path": "test_a.py"}`}, []string{nameTest}, gate.Error, "collecting test_a.py"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, configured)
			for _, g := range Language(test.tool).Gates {
				if len(test.gates) > 0 && !slices.Contains(test.gates, g.Name()) {
					continue
				}
				report := g.Run(t.Context(), tree)
				require.Equal(t, test.verdict.String(), report.Verdict.String(), "%s: %s", g.Name(), report.Summary)
				require.Contains(t, report.Summary, test.summary, g.Name())
				require.LessOrEqual(t, len([]rune(report.Summary)), 200)
				require.LessOrEqual(t, report.Passed, report.Executed)
				if test.verdict == gate.NotRun {
					require.Zero(t, report.Executed)
				}
			}
		})
	}
}

// The gates have an order, names of their own, and which of them leave the tree alone.
func TestGates_AreOrdered(t *testing.T) {
	t.Parallel()
	var names, readers []string
	last := gate.StageFormat
	for _, g := range Language(canned{}).Gates {
		names = append(names, g.Name())
		require.GreaterOrEqual(t, gate.StageOf(g), last, g.Name())
		last = gate.StageOf(g)
		if gate.OnlyReads(g) {
			readers = append(readers, g.Name())
		}
	}
	require.Equal(t, []string{nameSyntax, nameFormat, nameLint, nameTypes, nameTest, nameSecurity, nameComplexity}, names)
	require.Equal(t, []string{nameSyntax, nameFormat, nameSecurity, nameComplexity}, readers, "flake8, mypy and tests run code of the tree")
	l := Language(canned{})
	require.Contains(t, names, l.Suite)
}

// The recorded warnings of bandit do not fail, what it calls high does; and so for pyright's.
func TestWarnings_DoNotFail(t *testing.T) {
	t.Parallel()
	verdicts := func(archive, name string, g func(sandbox.Runner) gate.Gate) gate.Report {
		for _, r := range load(t, filepath.Join("testdata", archive+".txtar")) {
			if r.name == name {
				return g(canned{result: r.result()}).Run(t.Context(), write(t, "-- a.py --\n-- pyrightconfig.json --\n{}\n"))
			}
		}
		t.Fatalf("no recording %s", name)
		return gate.Report{}
	}
	audit := func(r sandbox.Runner) gate.Gate { return &securityGate{check{tools: newTools(r, nil)}} }
	types := func(r sandbox.Runner) gate.Gate { return &typesGate{check{tools: newTools(r, nil)}} }
	low := verdicts("bandit", "assert", audit)
	require.Equal(t, gate.Pass, low.Verdict, low.Summary)
	require.Len(t, low.Findings, 1, "a warning is shown")
	require.Equal(t, gate.Fail, verdicts("bandit", "md5", audit).Verdict)
	require.Equal(t, gate.Pass, verdicts("pyright", "basic-warning", types).Verdict)
	require.Equal(t, gate.Fail, verdicts("pyright", "undefined", types).Verdict)
	settings := verdicts("pyright", "bad-settings", types)
	require.Equal(t, gate.Fail, settings.Verdict)
	require.Positive(t, settings.Findings[len(settings.Findings)-1].Line)
	require.Equal(t, gate.NotRun, verdicts("pyright", "nothing", types).Verdict)
}

// There is a formatter, and Format says whether it could do its work; a missing one changes nothing.
func TestFormat_ReportsItsOwnFaults(t *testing.T) {
	t.Parallel()
	tree := write(t, configured)
	for name, test := range map[string]struct {
		tool  canned
		wrong string
	}{
		"fine":          {canned{}, ""},
		"missing":       {canned{err: &sandbox.NotStartedError{Name: "black", Reason: "no"}}, ""},
		"cannot parse":  {canned{result: sandbox.Result{ExitCode: 123}}, ""},
		"hangs":         {canned{result: sandbox.Result{TimedOut: true}}, "did not end within"},
		"runner broken": {canned{err: errors.New("broken")}, "was stopped: broken"},
	} {
		err := Language(test.tool).Format(t.Context(), tree, []string{"a.py"})
		if test.wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, test.wrong, name)
		}
	}
}

func TestSelect_ListsInstalledOrConfiguredTools(t *testing.T) {
	t.Parallel()
	nothing := canned{err: &sandbox.NotStartedError{Name: "x", Reason: "no", Err: fs.ErrNotExist}}
	plain := write(t, "-- a.py --\n")
	require.Equal(t, []string{nameSyntax, nameTest}, Language(nothing).Select(t.Context(), plain))
	require.Equal(t, []string{nameSyntax, nameLint, nameTest, nameSecurity, nameComplexity}, Language(canned{}).Select(t.Context(), plain))
	require.Equal(t, []string{nameSyntax, nameFormat, nameLint, nameTypes, nameTest}, Language(nothing).Select(t.Context(), write(t, configured)),
		"what the project wants is named although it is missing")
}
