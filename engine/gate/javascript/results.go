package javascript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// state is what became of a test.
type state int

const (
	skipped state = iota // or only planned, or filtered out
	passed
	failed
	unfinished // it was started, or was to be started, and nothing more was heard of it
)

// outcome is a test and what became of it.
type outcome struct {
	file   string   // relative to the project
	titles []string // of the suites that it is in, and its own
	place           // where it is written; path is empty where the runner does not tell
	state  state
	said   string // of a failure, with its stack trace
	parent bool   // it failed because a test in it did
	called bool   // it was called off because something else failed, such as a hook
}

// name is how a test is told from others: "file > suite > test".
func (o outcome) name() string {
	return strings.Join(append([]string{cmp.Or(o.file, "?")}, o.titles...), " > ")
}

// results are what a runner said.
type results struct {
	tests  []outcome
	beside []gate.Finding // what went wrong outside of tests
	ended  bool           // the runner said its last word; else something ended it
	files  int
	silent []string // files that ended well, and of which no test was heard although they look as if they had some
}

// settle makes findings of the files of which no runner heard a test: a file may be for one of several.
func (s *results) settle() {
	heard := map[string]bool{}
	for _, test := range s.tests {
		heard[test.file] = true
	}
	for _, file := range s.silent {
		if !heard[file] {
			s.beside = append(s.beside, place{path: file, line: 1}.finding(ruleTest,
				"the file ended without a test: it has none, or something ends the process, such as process.exit"))
		}
	}
}

// findings gives one for each test that failed or did not end, those last that were called off: why stands before. What went wrong
// beside them follows.
func (s results) findings(r tool.Root) []gate.Finding {
	var found, called []gate.Finding
	for _, test := range s.tests {
		switch {
		case test.state == failed && test.called:
			called = append(called, test.finding(r))
		case test.state == failed && !test.parent || test.state == unfinished:
			found = append(found, test.finding(r))
		}
	}
	return slices.Concat(found, called, s.beside)
}

func (o outcome) finding(r tool.Root) gate.Finding {
	where, known := frameIn(o.said, r, func(file string) bool { return file == o.file || IsTest(file) })
	if !known {
		where, known = frameOf(o.said, r)
	}
	if !known {
		where = o.place
	}
	if where.path == "" {
		where.path = o.file
	}
	said := message(o.said, r)
	switch {
	case o.state == unfinished:
		said = "the test did not end: the process exited before, as by process.exit"
	case said == "":
		said = "the test failed and said nothing"
	}
	f := where.finding(ruleTest, said)
	f.Test = o.name()
	return f
}

// held are the names of the tests that passed; of several tests with one name all have to.
func (s results) held() []string {
	bad := map[string]bool{}
	var names []string
	for _, test := range s.tests {
		if test.state == passed {
			names = append(names, test.name())
		} else {
			bad[test.name()] = true
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return bad[name] })
}

func (s results) count(of ...state) (n int) {
	for _, test := range s.tests {
		if slices.Contains(of, test.state) {
			n++
		}
	}
	return n
}

// add takes in what another runner said.
func (s *results) add(other results) {
	s.tests = append(s.tests, other.tests...)
	s.beside = append(s.beside, other.beside...)
	s.ended = s.ended && other.ended
	s.files += other.files
	s.silent = append(s.silent, other.silent...)
}

// fill puts the results into a report.
func (s results) fill(report *gate.Report, r tool.Root) {
	report.Findings = s.findings(r)
	report.Executed, report.Passed = s.count(passed, failed, unfinished), s.count(passed)
	report.Held = s.held()
}

// words are the summaries.
func (s results) words(report gate.Report) tool.Words {
	w := tool.Words{
		Passed:  fmt.Sprintf("%s passed in %s", tool.Count(report.Executed, "test"), tool.Count(s.files, "file")),
		Nothing: "no tests",
	}
	if n := s.count(skipped); n > 0 {
		w.Passed += fmt.Sprintf(", %d skipped", n)
		w.Nothing = fmt.Sprintf("no tests were executed: %s skipped", tool.Count(n, "test"))
	}
	if len(report.Findings) == 0 {
		return w
	}
	bad, first := report.Executed-report.Passed, tool.FirstLine(report.Findings[0].String())
	if bad == 0 {
		w.Failed = fmt.Sprintf("%s beside tests: %s", tool.Count(len(report.Findings), "error"), first)
	} else {
		w.Failed = fmt.Sprintf("%d of %s failed: %s", bad, tool.Count(report.Executed, "test"), first)
	}
	return w
}
