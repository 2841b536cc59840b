package python

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// session is a run of tests, over.
type session struct {
	testrun.Witness
	tests    []testrun.Outcome
	internal string // pytest's own traceback, where it broke
	unread   error  // why its report could not be read
	output   string // what it printed
	result   sandbox.Result
	places   testrun.Places
	project  project
}

// ofFile matches the line of pytest about the tests of a file that have ended: "tests/test_a.py ..F. [ 12%]".
var ofFile = lazyregexp.New(`^(?:\S+\.py +)?([.FEsxX]+) +\[ *\d+%\]\s*$`)

// ended counts the tests whose end a line reports. What is skipped, or expected to fail, was not executed.
func ended(line []byte) (tests, passed int) {
	m := ofFile.FindSubmatch(line)
	if m == nil {
		return 0, 0
	}
	passed = bytes.Count(m[1], []byte("."))
	return passed + bytes.Count(m[1], []byte("F")) + bytes.Count(m[1], []byte("E")), passed
}

// report judges the run.
func (s session) report(report gate.Report) gate.Report {
	s.count(&report)
	for _, t := range s.tests {
		if t.State == testrun.Failed {
			f := t.Finding(s.places)
			f.Absent = s.absent(t)
			report.Findings = append(report.Findings, f)
		}
	}
	s.places.Locate(report.Findings)
	if s.result.TimedOut {
		return s.timedOut(report)
	}
	if s.Missing {
		gate.Missing{Program: pytest, Install: s.project.install(pytest)}.NotRun(&report)
		return report
	}
	report.Findings = append(report.Findings, s.places.Locate(s.beside(report))...)
	s.result.ExitCode = s.exitCode(report)
	s.result.Truncated = s.result.Truncated && len(report.Findings) == 0 // they are from files, which are whole
	conclude(&report, s.result, tool.Words{Failed: s.failedSummary(report), Passed: s.passedSummary(report), Nothing: s.nothingSummary()})
	if s.Foreign != "" {
		return s.ranOtherCopy(report)
	}
	return s.doubt(report)
}

// exitCode is what the exit code would be if it were about the tests.
func (s session) exitCode(report gate.Report) int {
	switch {
	case s.Exited && s.Code == 5 && s.result.ExitCode == 5 && s.Collected == 0 && report.Executed == 0:
		return 0 // with 5, pytest reports that there are no tests
	case s.Exited && s.result.ExitCode == 0:
		return s.Code // something may have ended the process after it
	}
	return s.result.ExitCode
}

// doubt turns a report that is not a failure into an Error if the run, or its report, is incomplete.
func (s session) doubt(report gate.Report) gate.Report {
	switch {
	case report.Verdict == gate.Fail || s.result.Truncated:
	case report.Verdict == gate.Error:
		report.Summary = tool.Summary("%s ended with code %d and said: %s", report.Gate, s.result.ExitCode, complaint(s.output))
	case !s.Exited || s.unread != nil:
		report.Empty, report.Verdict = false, gate.Error
		report.Summary = tool.Summary("%s did not finish and said: %s", report.Gate, complaint(s.output))
	}
	return report
}

// ranOtherCopy is the report if the tests used another copy of the project: they prove nothing about this one.
func (s session) ranOtherCopy(report gate.Report) gate.Report {
	report.Verdict, report.Empty, report.Findings = gate.Error, false, nil
	report.Summary = tool.Summary("%s has no result: the installed project refers to its own folder, so the tests ran the code there and not the checked one: %s",
		report.Gate, s.Foreign)
	return report
}

var (
	errorLine = lazyregexp.New(`(?m)^(?:\S.*?: )?error: (.*)$`)
	ruler     = lazyregexp.New(`(?m)^={3,}.*={3,}\s*$`)
)

// complaint is the line of an output that best explains why there was no result.
func complaint(output string) string {
	if m := errorLine.FindStringSubmatch(output); m != nil {
		return strings.TrimSpace(m[1])
	}
	return tool.FirstLine(ruler.ReplaceAllString(output, ""))
}

// count counts tests. Skipped ones were not executed, nor were modules.
func (s session) count(report *gate.Report) {
	for _, t := range s.tests {
		if t.Module || t.State == testrun.Skipped || s.Runner == "unittest" && strings.Contains(t.Name, " (") {
			continue // for a class, unittest reports a name like "setUpClass (m.T)"
		}
		report.Executed++
		if t.State == testrun.Passed {
			report.Passed++
			report.PassedTests = append(report.PassedTests, t.Name)
		}
	}
	slices.Sort(report.PassedTests)
}

// timedOut names the tests that were running; the findings are those of the tests that had failed before.
func (s session) timedOut(report gate.Report) gate.Report {
	for i, e := range s.Running {
		separator := ", "
		if i == 0 {
			separator = "; running: "
		}
		report.Summary += separator + testName(e, s.Runner)
	}
	if s.Module != "" {
		if rel, ok := s.places.Root.Rel(s.Module); ok {
			report.Summary += "; collecting " + rel
		}
	}
	report.Summary = tool.Summary("%s", report.Summary)
	return report
}

func (s session) failedSummary(report gate.Report) string {
	n := 0
	for _, f := range report.Findings {
		n += testrun.Boolean(f.Test != "")
	}
	first := firstProblem(report.Findings)
	switch others := len(report.Findings) - n; {
	case others > 0 && n == 0:
		return fmt.Sprintf("%s outside tests: %s", tool.Count(others, "error"), first)
	case others > 0:
		return fmt.Sprintf("%s failed; %s outside tests: %s", tool.Count(n, "test"), tool.Count(others, "error"), first)
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
	case s.Runner == "unittest":
		return "no tests; those that are plain functions need pytest: " + s.project.install(pytest)
	}
	return "no tests"
}

func (s session) skipped() (n int) {
	for _, t := range s.tests {
		n += testrun.Boolean(t.State == testrun.Skipped)
	}
	return n
}

// beside returns the errors outside tests.
func (s session) beside(report gate.Report) []gate.Finding {
	switch {
	case s.Runner == "":
		return nil // it did not begin: the exit code shows it, or the missing end
	case s.Replaced != "":
		return []gate.Finding{s.places.At("", 0, 0, testrun.RuleSession, "something that is tested has replaced "+s.Replaced+
			" of unittest, which compares values in tests: it is unknown which tests passed")}
	case s.internal != "":
		return s.broke()
	case s.result.ExitCode == 4:
		return s.usage()
	case !s.Exited && s.Raised == "":
		return s.vanished("the process ended before its tests had: something ends it, such as os._exit")
	case s.raisedAfter() && len(report.Findings) > 0:
		return []gate.Finding{s.places.At("", 0, 0, testrun.RuleAfter, "once all tests had ended, the run ended with "+tool.FirstLine(s.Raised))}
	case s.Raised != "":
		return s.vanished("the run ended with " + tool.FirstLine(s.Raised) + " before its tests had")
	case s.Runner == "pytest" && s.Ended+s.Left < s.Collected && len(report.Findings) == 0: // unittest has no word for each test that is skipped
		return s.vanished(fmt.Sprintf("the run ended after %d of %s: something ends it, such as pytest.exit", s.Ended, tool.Count(s.Collected, "test")))
	}
	return nil
}

// raisedAfter reports whether the runner ended with an exception once all tests had ended, as with warnings about what they left open.
func (s session) raisedAfter() bool {
	return s.Raised != "" && s.Collected > 0 && s.Ended == s.Collected && len(s.Running) == 0
}

// vanished blames the test that was running when the run ended.
func (s session) vanished(why string) []gate.Finding {
	var found []gate.Finding
	for _, e := range s.Running {
		f := s.places.At(e.Path, e.Line, 0, testrun.RuleTest, "the test was started and did not end: "+why)
		f.Test = testName(e, s.Runner)
		found = append(found, f)
	}
	if len(found) > 0 {
		return found
	}
	if s.Module != "" {
		return []gate.Finding{s.places.At(s.Module, 0, 0, testrun.RuleSession, why)}
	}
	f := s.places.At("", 0, 0, testrun.RuleSession, why)
	if in, ok := (testrun.Outcome{Frames: s.RaisedAt}).Innermost(s.places); ok {
		f.Path, f.Line = in.Path, in.Line
	}
	return []gate.Finding{f}
}

// testName is the name of a test that is known by its node id: "tests/test_a.py::TestX::test_y[1]".
func testName(e testrun.Event, runner string) string {
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

// broke returns the findings of a traceback of pytest itself: one at the innermost line of the tree in it, or none without such a line.
func (s session) broke() []gate.Finding {
	t := testrun.Outcome{Text: s.internal}
	in, ok := t.Innermost(s.places)
	if !ok {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(s.internal), "\n")
	return []gate.Finding{s.places.At(in.Path, in.Line, 0, testrun.RuleSession, "pytest broke on it: "+lines[len(lines)-1])}
}

var (
	loadingConftest  = lazyregexp.New(`(?m)^ImportError while loading conftest '(.+)'\.$`)
	badConfiguration = lazyregexp.New(`(?m)^ERROR: (\S.*?\.(?:toml|ini|cfg)): ?(.*)$`)
	atLine           = lazyregexp.New(`at line (\d+), column (\d+)|^(\d+): `)
)

// usage is for what pytest could not begin with: a conftest.py that cannot be imported, or settings that it does not understand.
func (s session) usage() []gate.Finding {
	if m := loadingConftest.FindStringSubmatch(s.output); m != nil {
		t := testrun.Outcome{Path: m[1], Module: true, Text: s.output[strings.Index(s.output, m[0]):]}
		f := t.Finding(s.places)
		if f.Rule != testrun.RuleSyntax {
			f.Rule = testrun.RuleCollect
		}
		return []gate.Finding{f}
	}
	if m := badConfiguration.FindStringSubmatch(s.output); m != nil {
		f := s.places.At(m[1], 0, 0, ruleSettings, m[2])
		if at := atLine.FindStringSubmatch(m[2]); at != nil {
			f.Line, f.Column = testrun.Number(at[1]+at[3]), testrun.Number(at[2])
		}
		return []gate.Finding{f}
	}
	return nil
}
