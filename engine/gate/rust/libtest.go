package rust

import (
	"slices"
	"strconv"
	"strings"

	"forge/internal/lazyregexp"
)

// testRun is one test, as its harness reported it.
type testRun struct {
	name   string // without the line of a doc test, which every edit above changes
	line   int    // of a doc test
	file   string // of a doc test
	state  string // ok, FAILED or ignored
	output string // output of a failed one
}

// harness is one run of libtest: a test program, or the doc tests of a crate.
type harness struct {
	announced int // "running N tests"; -1 without that line
	tests     []*testRun
	result    string // "ok" or "FAILED"; empty if it did not finish
	passed    int
	failed    int
	slow      []string // tests that were reported as slow
}

var (
	runningTests = lazyregexp.New(`^running (\d+) tests?$`)
	testLine     = lazyregexp.New(`^test (\S.*?) \.\.\. ?(.*)$`)
	testResult   = lazyregexp.New(`^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out`)
	slowTest     = lazyregexp.New(`^test (\S.*) has been running for over \d+ seconds`)
	outputHead   = lazyregexp.New(`^---- (\S.*?) (?:stdout|stderr) ----$`)
	docName      = lazyregexp.New(`^(\S.*?) - (?:(.*) )?\(line (\d+)\)(?: - (compile|compile fail|should panic|no run))?$`)
)

// parseLibtest parses the output of one test program.
func parseLibtest(output string) *harness {
	h := scanLibtest(output)
	h.tidy()
	return h
}

// scanLibtest parses it and keeps the names as printed.
func scanLibtest(output string) *harness {
	h := &harness{announced: -1}
	var open *testRun  // a test without its result yet: its own output is in between
	var shown *testRun // a failed test whose output follows
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch m := runningTests.FindStringSubmatch(line); {
		case m != nil && h.announced < 0:
			h.announced, _ = strconv.Atoi(m[1])
		case h.announced < 0 || h.result != "":
		case h.summed(line):
			shown = nil
		case outputHead.MatchString(line):
			shown = h.find(outputHead.FindStringSubmatch(line)[1])
		case shown != nil && line == "failures:":
			shown = nil
		case shown != nil:
			shown.output += line + "\n"
		default:
			open = h.read(line, open)
		}
	}
	return h
}

// read parses a line of the list of tests. It returns the test whose result is still to come.
func (h *harness) read(line string, open *testRun) *testRun {
	if m := slowTest.FindStringSubmatch(line); m != nil {
		h.slow = append(h.slow, m[1])
		return open
	}
	if m := testLine.FindStringSubmatch(line); m != nil {
		t := newTest(m[1])
		h.tests = append(h.tests, t)
		if t.state = stateOf(m[2]); t.state == "" {
			return t
		}
		return nil
	}
	if state := stateOf(line); open != nil && state != "" && state != "ignored" {
		open.state = state
		return nil
	}
	return open
}

// stateOf parses the result of a test.
func stateOf(word string) string {
	switch {
	case word == "ok", word == "FAILED":
		return word
	case strings.HasPrefix(word, "ok <") || strings.HasPrefix(word, "FAILED <") || strings.HasPrefix(word, "FAILED ("): // with times
		return strings.Fields(word)[0]
	case word == "ignored" || strings.HasPrefix(word, "ignored, "):
		return "ignored"
	}
	return ""
}

// newTest creates a test from its name in the list.
func newTest(name string) *testRun {
	if m := docName.FindStringSubmatch(name); m != nil {
		line, _ := strconv.Atoi(m[3])
		return &testRun{name: strings.TrimSpace(m[1] + " - " + m[2]), file: m[1], line: line}
	}
	return &testRun{name: strings.TrimSuffix(name, " - should panic")}
}

func (h *harness) find(name string) *testRun {
	wanted := newTest(name)
	i := slices.IndexFunc(h.tests, func(t *testRun) bool { return t.name == wanted.name && t.line == wanted.line })
	if i < 0 {
		return nil
	}
	return h.tests[i]
}

// summed parses the last line of a harness.
func (h *harness) summed(line string) bool {
	m := testResult.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	h.result = m[1]
	h.passed, _ = strconv.Atoi(m[2])
	h.failed, _ = strconv.Atoi(m[3])
	return true
}

// tidy numbers the doc tests of one item: without their lines they would have the same name.
func (h *harness) tidy() {
	seen := map[string]int{}
	byLine := slices.SortedStableFunc(slices.Values(h.tests), func(a, b *testRun) int { return a.line - b.line })
	for _, t := range byLine {
		if t.line == 0 {
			continue
		}
		if seen[t.name]++; seen[t.name] > 1 {
			t.name += " #" + strconv.Itoa(seen[t.name])
		}
	}
}

// in returns the tests in a state.
func (h *harness) in(state string) (all []*testRun) {
	for _, t := range h.tests {
		if t.state == state {
			all = append(all, t)
		}
	}
	return all
}

// doubt returns why a harness' output cannot be trusted, or "". The harness prints the number of its tests before the
// first one runs; no test can change that afterwards, and a process that is ended omits the sum.
func (h *harness) doubt() string {
	executed := len(h.in("ok")) + len(h.in("FAILED"))
	switch {
	case h.result == "":
		return "the process ended before its tests had: something ends it, such as std::process::exit"
	case len(h.tests) > h.announced:
		return "more tests were reported than exist: something imitates the test harness"
	case h.passed+h.failed > h.announced || executed > h.passed+h.failed:
		return "the sum of the tests differs from the reported ones: something imitates the test harness"
	}
	return ""
}
