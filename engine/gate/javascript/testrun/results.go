// Package testrun parses the output of runners of JavaScript tests into the result of each test: Jest and Vitest, Mocha, node
// --test, tap, tape, AVA, uvu, and programs of which only the exit code and the files that Node.js executed are known. It also
// determines places in a tree: Place.
//
// Invariant: a test has passed only if its runner reports it. Tests print to the same streams as runners, so a reporter of Forge's
// signs its report (Seal); if that is impossible, the run is checked for code that ends a process (Seen).
package testrun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// state is the result of a test.
type state int

const (
	Skipped state = iota // or only planned, or filtered out
	passed
	failed
	Unfinished // it was started, or scheduled, and has no result
)

// outcome is a test with its result.
type outcome struct {
	file   string   // relative to the project
	titles []string // of the enclosing suites, and its own
	Place           // its place in the source; path is empty if the runner does not report it
	State  state
	said   string // message of a failure, with its stack trace
	parent bool   // it failed because a nested test failed
	called bool   // it was cancelled because something else failed, such as a hook
}

// Name identifies a test: "file > suite > test".
func (o outcome) Name() string {
	return strings.Join(append([]string{cmp.Or(o.file, "?")}, o.titles...), " > ")
}

// Results are the results of a runner.
type Results struct {
	Tests  []outcome
	Beside []gate.Finding // faults outside of tests
	Ended  bool           // the runner printed its final message; otherwise something ended it
	files  int
	silent []string // files that ended normally without a test, although they look like test files
}

// Settle adds findings for the files without a test in any runner: a file may be for one of several.
func (s *Results) Settle() {
	heard := map[string]bool{}
	for _, test := range s.Tests {
		heard[test.file] = true
	}
	for _, file := range s.silent {
		if !heard[file] {
			s.Beside = append(s.Beside, Place{Path: file, Line: 1}.Finding(RuleTest,
				"the file ended without a test: it has none, or something ends the process, such as process.exit"))
		}
	}
}

// findings returns one for each test that failed or did not end, with cancelled tests after their cause. Faults outside of tests
// follow.
func (s Results) findings(r tool.Root) []gate.Finding {
	var found, called []gate.Finding
	for _, test := range s.Tests {
		switch {
		case test.State == failed && test.called:
			called = append(called, test.finding(r))
		case test.State == failed && !test.parent || test.State == Unfinished:
			found = append(found, test.finding(r))
		}
	}
	return slices.Concat(found, called, s.Beside)
}

func (o outcome) finding(r tool.Root) gate.Finding {
	where, known := frameIn(o.said, r, func(file string) bool { return file == o.file || IsTest(file) })
	if !known {
		where, known = FrameOf(o.said, r)
	}
	if !known {
		where = o.Place
	}
	if where.Path == "" {
		where.Path = o.file
	}
	said := Message(o.said, r)
	switch {
	case o.State == Unfinished:
		said = "the test did not end: the process exited before, such as by process.exit"
	case said == "":
		said = "the test failed without a message"
	}
	f := where.Finding(RuleTest, said)
	f.Test, f.Absent = o.Name(), absent(said)
	return f
}

// held returns the names of the tests that passed; several tests with one name must all pass.
func (s Results) held() []string {
	bad := map[string]bool{}
	var names []string
	for _, test := range s.Tests {
		if test.State == passed {
			names = append(names, test.Name())
		} else {
			bad[test.Name()] = true
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return bad[name] })
}

// Count returns how many tests are in one of some states.
func (s Results) Count(of ...state) (n int) {
	for _, test := range s.Tests {
		if slices.Contains(of, test.State) {
			n++
		}
	}
	return n
}

// Add adds the results of another runner.
func (s *Results) Add(other Results) {
	s.Tests = append(s.Tests, other.Tests...)
	s.Beside = append(s.Beside, other.Beside...)
	s.Ended = s.Ended && other.Ended
	s.files += other.files
	s.silent = append(s.silent, other.silent...)
}

// Fill puts the results into a report.
func (s Results) Fill(report *gate.Report, r tool.Root) {
	report.Findings = s.findings(r)
	report.Executed, report.Passed = s.Count(passed, failed, Unfinished), s.Count(passed)
	report.PassedTests = s.held()
}

// Words returns the summaries.
func (s Results) Words(report gate.Report) tool.Words {
	w := tool.Words{
		Passed:  fmt.Sprintf("%s passed in %s", tool.Count(report.Executed, "test"), tool.Count(s.files, "file")),
		Nothing: "no tests",
	}
	if n := s.Count(Skipped); n > 0 {
		w.Passed += fmt.Sprintf(", %d skipped", n)
		w.Nothing = fmt.Sprintf("no tests were executed: %s skipped", tool.Count(n, "test"))
	}
	if len(report.Findings) == 0 {
		return w
	}
	bad, first := report.Executed-report.Passed, tool.FirstLine(report.Findings[0].String())
	if bad == 0 {
		w.Failed = fmt.Sprintf("%s outside tests: %s", tool.Count(len(report.Findings), "error"), first)
	} else {
		w.Failed = fmt.Sprintf("%d of %s failed: %s", bad, tool.Count(report.Executed, "test"), first)
	}
	return w
}
