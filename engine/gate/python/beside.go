package python

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// beside finds what went wrong beside the tests.
func (s session) beside(report gate.Report) []gate.Finding {
	switch {
	case s.runner == "":
		return nil // it did not begin: the exit code tells, or the missing end
	case s.replaced != "":
		return []gate.Finding{s.places.at("", 0, 0, ruleSession, "something that is tested has replaced "+s.replaced+" of unittest, by which tests compare: nobody knows which have passed")}
	case s.internal != "":
		return s.broke()
	case s.result.ExitCode == 4:
		return s.usage()
	case !s.exited && s.raised == "":
		return s.vanished("the process ended before its tests had: something ends it, such as os._exit")
	case s.raised != "":
		return s.vanished("the run ended with " + tool.FirstLine(s.raised) + " before its tests had")
	case s.runner == "pytest" && s.ended < s.collected && len(report.Findings) == 0: // unittest has no word for each test that is skipped
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

var (
	loadingConftest  = lazyregexp.New(`(?m)^ImportError while loading conftest '(.+)'\.$`)
	badConfiguration = lazyregexp.New(`(?m)^ERROR: (\S.*?\.(?:toml|ini|cfg)): ?(.*)$`)
	atLine           = lazyregexp.New(`at line (\d+), column (\d+)|^(\d+): `)
)

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
