package python

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// beside finds what went wrong beside the tests.
func (s session) beside(report gate.Report) []gate.Finding {
	switch {
	case s.Runner == "":
		return nil // it did not begin: the exit code tells, or the missing end
	case s.Replaced != "":
		return []gate.Finding{s.places.At("", 0, 0, testrun.RuleSession, "something that is tested has replaced "+s.Replaced+" of unittest, by which tests compare: nobody knows which have passed")}
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

// vanished blames who was running when the run ended.
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

// broke is for pytest's own traceback. What in the tree it went through is to blame; if nothing is, nobody is.
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
