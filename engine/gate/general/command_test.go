package general

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

type commandDir string

func (d commandDir) Dir() string { return string(d) }

// cannedCommand says the same whatever it is asked, and notes what it was.
type cannedCommand struct {
	result sandbox.Result
	err    error
	asked  *sandbox.Command
}

func (c cannedCommand) Run(_ context.Context, command sandbox.Command) (sandbox.Result, error) {
	if c.asked != nil {
		*c.asked = command
	}
	return c.result, c.err
}

func says(code int, stdout string) cannedCommand {
	return cannedCommand{result: sandbox.Result{ExitCode: code, Stdout: []byte(stdout)}}
}

const grep = `^(?:(?P<path>[^:]+):(?P<line>\d+):(?P<col>\d+): (?P<severity>\w+): (?P<message>.*?)(?: \[(?P<rule>\w+)\])?|(?P<checks>\d+) files checked)$`

const log = `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{},{}]}},"results":[` +
	`{"ruleId":"R1","level":"warning","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b.go"},"region":{"startLine":3,"startColumn":2}}}]},` +
	`{"ruleId":"R2","kind":"pass","message":{"text":"fine"}},{"ruleId":"R3","message":{"text":"kept"},"suppressions":[{}]}]}]}`

const cleanLog = `{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{},{}]}},"results":[]}]}`

func TestGates_PassOnlyKnownOutput(t *testing.T) {
	t.Parallel()
	one := []gate.Finding{{Path: "sub/a.go", Line: 3, Column: 2, Severity: gate.SeverityWarning, Rule: "R1", Message: "no"}}
	for name, tt := range map[string]struct {
		spec     CommandSpec
		tool     cannedCommand
		verdict  gate.Verdict
		executed int
		summary  string
		findings []gate.Finding
	}{
		"code 0 alone is nothing":         {CommandSpec{}, says(0, ""), gate.NotRun, 0, "declare checks: 1", nil},
		"code 0, declared":                {CommandSpec{Checks: 1}, says(0, ""), gate.Pass, 1, "1 check passed", nil},
		"declared does not make it right": {CommandSpec{Checks: 1}, says(3, "no licence\n"), gate.Fail, 1, "no licence", []gate.Finding{{Severity: gate.SeverityError, Rule: "own", Message: "ended with code 3 and said: no licence"}}},
		"killed":                          {CommandSpec{Checks: 1}, says(-1, ""), gate.Error, 0, "code -1", nil},
		"it says how many":                {CommandSpec{Findings: grep}, says(0, "12 files checked\n"), gate.Pass, 12, "12 checks passed", nil},
		"it says none":                    {CommandSpec{Findings: grep}, says(0, "0 files checked\n"), gate.NotRun, 0, "did not report", nil},
		"a line":                          {CommandSpec{Findings: grep, Dir: "sub"}, says(1, "a.go:3:2: warning: no [R1]\n12 files checked\n"), gate.Fail, 12, "1 finding: sub/a.go:3: no", one},
		"a line, and code 0":              {CommandSpec{Findings: grep, Dir: "sub"}, says(0, "a.go:3:2: warning: no [R1]\n"), gate.Fail, 1, "1 finding", one},
		"a line outside of the tree":      {CommandSpec{Findings: grep}, says(1, "../a.go:3:2: error: no\n"), gate.Fail, 1, "1 finding: no", []gate.Finding{{Severity: gate.SeverityError, Rule: "own", Message: "no"}}},
		"fails with an unreadable output": {CommandSpec{Findings: grep}, says(1, "what\n"), gate.Error, 0, "code 1 and said: what", nil},
		"SARIF": {CommandSpec{Findings: SARIF}, says(0, log), gate.Fail, 3, "a b.go:3: m", []gate.Finding{
			{Path: "a b.go", Line: 3, Column: 2, Severity: gate.SeverityWarning, Rule: "R1", Message: "m"},
		}},
		"SARIF, clean":                {CommandSpec{Findings: SARIF}, says(0, cleanLog), gate.Pass, 2, "2 checks passed", nil},
		"SARIF, clean, and it failed": {CommandSpec{Findings: SARIF}, says(1, cleanLog), gate.Error, 2, "code 1", nil},
		"no SARIF":                    {CommandSpec{Findings: SARIF, Checks: 1}, says(0, "{}"), gate.Error, 0, "not a SARIF log", nil},
		"SARIF that was not executed": {CommandSpec{Findings: SARIF, Checks: 1}, says(0, `{"version":"2.1.0","runs":[{}]}`), gate.Error, 0, "not executed", nil},
		"SARIF of a crash":            {CommandSpec{Findings: SARIF}, says(0, `{"version":"2.1.0","runs":[{"results":[],"invocations":[{"executionSuccessful":false}]}]}`), gate.Error, 0, "did not finish", nil},
		"not there":                   {CommandSpec{Checks: 1}, cannedCommand{err: &sandbox.NotStartedError{Name: "x", Reason: "it is in no folder of PATH", Err: fs.ErrNotExist}}, gate.NotRun, 0, "x is not installed", nil},
		"broken":                      {CommandSpec{Checks: 1}, cannedCommand{err: errors.New("broken")}, gate.Error, 0, "broken", nil},
		"no end":                      {CommandSpec{Checks: 1}, cannedCommand{result: sandbox.Result{TimedOut: true}}, gate.Error, 0, "did not end within 5m0s", nil},
		"too much":                    {CommandSpec{Checks: 1}, cannedCommand{result: sandbox.Result{Truncated: true}}, gate.Error, 1, "more than can be read", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Name, tt.spec.Argv = "own", []string{"x"}
			g, err := NewCommand(tt.tool, tt.spec)
			require.NoError(t, err)
			report := g.Run(t.Context(), commandDir(t.TempDir()))
			require.Equal(t, tt.verdict.String(), report.Verdict.String(), report.Summary)
			require.Equal(t, tt.executed, report.Executed)
			require.Contains(t, report.Summary, tt.summary)
			require.Empty(t, cmp.Diff(tt.findings, report.Findings))
			require.False(t, report.Empty && tt.spec.Findings == "", "a gate that cannot speak blocks")
		})
	}
}

// entering prints where it was started, as make does.
type entering struct{}

func (entering) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{ExitCode: 2, Stdout: []byte("make: Entering directory '" + c.Dir + "': " + filepath.Join(c.Dir, "x.mk") + "\n")}, nil
}

// A command that fails without findings prints the same in each scratch tree.
func TestRun_NamesNoScratchTree(t *testing.T) {
	t.Parallel()
	g, err := NewCommand(entering{}, CommandSpec{Name: "own", Argv: []string{"make"}})
	require.NoError(t, err)
	before, after := g.Run(t.Context(), commandDir(t.TempDir())), g.Run(t.Context(), commandDir(t.TempDir()))
	require.Equal(t, "ended with code 2 and said: make: Entering directory '': x.mk", after.Findings[0].Message)
	require.Equal(t, gate.Pass, gate.Baseline([]gate.Report{before}, []gate.Report{after})[0].Verdict)
}

func TestRun_StartsTheCommandAsItStands(t *testing.T) {
	t.Parallel()
	var asked sandbox.Command
	g, err := NewCommand(cannedCommand{asked: &asked}, CommandSpec{Name: "own", Argv: []string{"x", "a b", "$(c)"}, Dir: "sub", Timeout: time.Second, Stage: "test"}, "A=1")
	require.NoError(t, err)
	tree := commandDir(t.TempDir())
	g.Run(t.Context(), tree)
	require.Equal(t, []string{"x", "a b", "$(c)"}, asked.Argv, "as it stands: there is no shell")
	require.Equal(t, filepath.Join(tree.Dir(), "sub"), asked.Dir)
	require.Equal(t, time.Second, asked.Timeout)
	require.Equal(t, []string{"A=1"}, asked.Env)
	require.Equal(t, gate.StageTest, gate.StageOf(g))
	require.False(t, gate.OnlyReads(g), "it is unknown what it does")
}

func TestNew_RejectsInvalidSpecs(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]CommandSpec{
		"needs a name":         {Argv: []string{"x"}},
		"without parentheses":  {Name: "a (b)", Argv: []string{"x"}},
		"has no program":       {Name: "a"},
		"is in the folder":     {Name: "a", Argv: []string{"./x"}},
		"is not inside":        {Name: "a", Argv: []string{"x"}, Dir: "../b"},
		"unknown stage":        {Name: "a", Argv: []string{"x"}, Stage: "later"},
		"regular expression":   {Name: "a", Argv: []string{"x"}, Findings: "("},
		"has no group":         {Name: "a", Argv: []string{"x"}, Findings: "x"},
		"must not be negative": {Name: "a", Argv: []string{"x"}, Checks: -1},
	} {
		require.ErrorContains(t, s.Check(), want)
		_, err := NewCommand(cannedCommand{}, s)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, CommandSpec{Name: "a", Argv: []string{"/usr/bin/x"}, Dir: "b/c", Stage: "audit", Findings: SARIF}.Check())
}

// A real program, in the real sandbox.
func TestRun_ReadsARealCommand(t *testing.T) {
	t.Parallel()
	runner := sandbox.New(sandbox.Options{Environ: os.Environ()})
	g, err := NewCommand(runner, CommandSpec{Name: "own", Argv: []string{"sh", "-c", "echo x.sh:1:2: error: bad; exit 1"}, Findings: grep})
	require.NoError(t, err)
	report := g.Run(t.Context(), commandDir(t.TempDir()))
	require.Equal(t, gate.Fail, report.Verdict)
	require.Equal(t, "x.sh:1: bad", report.Findings[0].String())
}

func FuzzParseCommand(f *testing.F) {
	f.Add(log)
	f.Add("a.go:3:2: warning: no [R1]\n12 files checked\n")
	pattern := regexp.MustCompile(grep)
	f.Fuzz(func(_ *testing.T, output string) {
		p := place{root: tool.RootAt("/tree"), dir: "sub"}
		found, checks := parseLines(pattern, "own", output, p)
		more, others, _ := parseSARIF([]byte(output), "own", p)
		for _, finding := range append(found, more...) {
			if finding.Path != "" && !filepath.IsLocal(finding.Path) || finding.Rule == "" || finding.Message == "" || (finding.Path != "") != (finding.Line > 0) || finding.Column < 0 || finding.Severity == 0 {
				panic("a finding that is none")
			}
		}
		if checks < 0 || others < 0 {
			panic("fewer than no checks")
		}
	})
}
