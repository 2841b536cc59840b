package python

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// testGate runs every test, by pytest, or by unittest where there is no pytest.
type testGate struct {
	tools tools
	limit time.Duration
}

//go:embed run.py
var runner []byte

// maxReport is how much of the report of a run of tests is read, in bytes.
const maxReport = 256 << 20

// Name gives the gate's name.
func (*testGate) Name() string { return nameTest }

// Stage is that of tests.
func (*testGate) Stage() gate.Stage { return gate.StageTest }

// Run runs the tests, and reads what was seen of them.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name(), Tests: true}
	outside, remove, err := scratch()
	if err != nil {
		return refuse(report, err)
	}
	defer remove()
	script := filepath.Join(outside, "run.py")
	if err := os.WriteFile(script, runner, 0o600); err != nil {
		return refuse(report, err)
	}
	p := inspect(tree)
	wanted := "any"
	if p.wantsPytest() || writtenForPytest(tree.Dir()) {
		wanted = "pytest"
	}
	result, done := g.tools.run(ctx, tree, &report, attempt{tool: interpreter(), limit: g.limit, argv: []string{
		p.program(interpreter()), script, outside, wanted,
	}})
	s := session{witness: parseWitness(read(outside, "witness")), places: placesIn(tree), result: result, output: report.Output}
	if done && !result.TimedOut {
		return report
	}
	s.tests, s.internal, s.unread = parseJunit(read(outside, "junit.xml"))
	if s.runner == "unittest" {
		s.tests, s.unread = s.unittestRuns(), nil
	}
	return s.report(report)
}

// read gives the text of a file of the outside folder; none is the empty text.
func read(dir, name string) string {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxReport))
	if err != nil {
		return ""
	}
	return string(text)
}

// writtenForPytest reports whether a test, or what prepares tests, imports pytest.
func writtenForPytest(dir string) bool {
	files, err := sources(dir)
	if err != nil {
		return false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return slices.ContainsFunc(files, func(file string) bool {
		if !IsTest(file) {
			return false
		}
		text, _ := readStart(root, filepath.FromSlash(file))
		return filepath.Base(file) == "conftest.py" || importsPytest.MatchString(text)
	})
}

// session is a run of tests, over.
type session struct {
	witness
	tests    []testRun
	internal string // pytest's own traceback, where it broke
	unread   error  // why its report could not be read
	output   string // what it printed
	result   sandbox.Result
	places   places
}

// report judges the run.
func (s session) report(report gate.Report) gate.Report {
	s.count(&report)
	for _, t := range s.tests {
		if t.state == failed {
			report.Findings = append(report.Findings, t.finding(s.places))
		}
	}
	if s.result.TimedOut {
		return s.timedOut(report)
	}
	if s.missing {
		report.Verdict, report.Summary = gate.NotRun, tool.Summary("pytest is not installed; %s", install("pytest"))
		return report
	}
	report.Findings = append(report.Findings, s.beside(report)...)
	switch {
	case s.exited && s.code == 5 && s.result.ExitCode == 5 && s.collected == 0 && report.Executed == 0:
		s.result.ExitCode = 0 // 5 is how pytest says that there are no tests
	case s.exited && s.result.ExitCode == 0:
		s.result.ExitCode = s.code // something may have ended the process after it
	}
	conclude(&report, s.result, tool.Words{Failed: s.failedSummary(report), Passed: s.passedSummary(report), Nothing: s.nothingSummary()})
	if report.Verdict == gate.Error && !s.result.Truncated {
		report.Summary = tool.Summary("%s ended with code %d and said: %s", report.Gate, s.result.ExitCode, complaint(s.output))
	}
	if sound := s.exited && s.unread == nil; !sound && (report.Verdict == gate.Pass || report.Verdict == gate.NotRun) {
		report.Empty, report.Verdict = false, gate.Error
		report.Summary = tool.Summary("%s did not come to its end and said: %s", report.Gate, complaint(s.output))
	}
	return report
}

// complaint is the line of an output that says most about why there was no result.
func complaint(output string) string {
	if m := errorLine.FindStringSubmatch(output); m != nil {
		return strings.TrimSpace(m[1])
	}
	return tool.FirstLine(ruler.ReplaceAllString(output, ""))
}

// count counts tests. Skipped ones were not executed, nor were modules.
func (s session) count(report *gate.Report) {
	for _, t := range s.tests {
		if t.module || t.state == skipped || s.runner == "unittest" && strings.Contains(t.name, " (") {
			continue // what unittest says of a class has a name like "setUpClass (m.T)"
		}
		report.Executed++
		if t.state == passed {
			report.Passed++
			report.Held = append(report.Held, t.name)
		}
	}
	slices.Sort(report.Held)
}

// beside finds what went wrong beside the tests.
func (s session) beside(report gate.Report) []gate.Finding {
	switch {
	case s.runner == "":
		return nil // it did not begin: the exit code tells, or the missing end
	case s.internal != "":
		return s.broke()
	case s.result.ExitCode == 4:
		return s.usage()
	case !s.exited && s.raised == "":
		return s.vanished("the process ended before its tests had: something ends it, such as os._exit")
	case s.raised != "":
		return s.vanished("the run ended with " + tool.FirstLine(s.raised) + " before its tests had")
	case s.ended < s.collected && len(report.Findings) == 0:
		return s.vanished(fmt.Sprintf("the run ended after %d of %s: something ends it, such as pytest.exit", s.ended, tool.Count(s.collected, "test")))
	}
	return nil
}

// vanished blames who was running when the run ended.
func (s session) vanished(why string) []gate.Finding {
	var found []gate.Finding
	for _, e := range s.running {
		f := s.places.at(e.Path, e.Line, 0, ruleTest, "the test was started and did not end: "+why)
		f.Test = testName(e, s.runner)
		found = append(found, f)
	}
	if len(found) > 0 {
		return found
	}
	if s.module != "" {
		return []gate.Finding{s.places.at(s.module, 0, 0, ruleSession, why)}
	}
	f := s.places.at("", 0, 0, ruleSession, why)
	if in, ok := (testRun{frames: s.raisedAt}).innermost(s.places); ok {
		f.Path, f.Line = in.path, in.line
	}
	return []gate.Finding{f}
}

// testName is the name of a test that is known by its node id: "tests/test_a.py::TestX::test_y[1]".
func testName(e event, runner string) string {
	if runner != "pytest" {
		return e.ID
	}
	file, rest, _ := strings.Cut(e.ID, "::")
	name, parameters, has := strings.Cut(rest, "[")
	name = strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".") + "." + strings.ReplaceAll(name, "::", ".")
	if has {
		name += "[" + parameters
	}
	return name
}

// broke is for pytest's own traceback. What in the tree it went through is to blame; if nothing is, nobody is.
func (s session) broke() []gate.Finding {
	t := testRun{text: s.internal}
	in, ok := t.innermost(s.places)
	if !ok {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(s.internal), "\n")
	return []gate.Finding{s.places.at(in.path, in.line, 0, ruleSession, "pytest broke on it: "+lines[len(lines)-1])}
}

// usage is for what pytest could not begin with: a conftest.py that cannot be imported, or settings that it does not understand.
func (s session) usage() []gate.Finding {
	if m := loadingConftest.FindStringSubmatch(s.output); m != nil {
		t := testRun{path: m[1], module: true, text: s.output[strings.Index(s.output, m[0]):]}
		f := t.finding(s.places)
		if f.Rule != ruleSyntax {
			f.Rule = ruleCollect
		}
		return []gate.Finding{f}
	}
	if m := badConfiguration.FindStringSubmatch(s.output); m != nil {
		f := s.places.at(m[1], 0, 0, ruleSettings, m[2])
		if at := atLine.FindStringSubmatch(m[2]); at != nil {
			f.Line, f.Column = number(at[1]+at[3]), number(at[2])
		}
		return []gate.Finding{f}
	}
	return nil
}

// timedOut names the tests that were running; the findings are those of the tests that had failed before.
func (s session) timedOut(report gate.Report) gate.Report {
	for i, e := range s.running {
		separator := ", "
		if i == 0 {
			separator = "; running: "
		}
		report.Summary += separator + testName(e, s.runner)
	}
	if s.module != "" {
		if rel, ok := s.places.root.Rel(s.module); ok {
			report.Summary += "; collecting " + rel
		}
	}
	report.Summary = tool.Summary("%s", report.Summary)
	return report
}

func (s session) failedSummary(report gate.Report) string {
	n := 0
	for _, f := range report.Findings {
		n += boolean(f.Test != "")
	}
	first := firstProblem(report.Findings)
	switch others := len(report.Findings) - n; {
	case others > 0 && n == 0:
		return fmt.Sprintf("%s beside tests: %s", tool.Count(others, "error"), first)
	case others > 0:
		return fmt.Sprintf("%s failed; %s beside tests: %s", tool.Count(n, "test"), tool.Count(others, "error"), first)
	}
	return fmt.Sprintf("%d of %s failed: %s", n, tool.Count(max(n, report.Executed), "test"), first)
}

func (s session) passedSummary(report gate.Report) string {
	text := tool.Count(report.Executed, "test") + " passed"
	if n := s.skipped(); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	return text
}

func (s session) nothingSummary() string {
	switch n := s.skipped(); {
	case n > 0:
		return fmt.Sprintf("no tests were executed: %s skipped", tool.Count(n, "test"))
	case s.runner == "unittest":
		return "no tests; those that are plain functions need pytest: " + install("pytest")
	}
	return "no tests"
}

func (s session) skipped() (n int) {
	for _, t := range s.tests {
		n += boolean(t.state == skipped)
	}
	return n
}

var (
	importsPytest    = regexp.MustCompile(`(?m)^\s*(?:import pytest|from pytest)\b`)
	loadingConftest  = regexp.MustCompile(`(?m)^ImportError while loading conftest '(.+)'\.$`)
	badConfiguration = regexp.MustCompile(`(?m)^ERROR: (\S.*?\.(?:toml|ini|cfg)): ?(.*)$`)
	errorLine        = regexp.MustCompile(`(?m)^(?:\S.*?: )?error: (.*)$`)
	ruler            = regexp.MustCompile(`(?m)^={3,}.*={3,}\s*$`)
	atLine           = regexp.MustCompile(`at line (\d+), column (\d+)|^(\d+): `)
)

// number reads digits; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
