package main

import (
	"fmt"
	"io"
	"strings"
)

// suite is one line of the results file.
type suite struct {
	name    string
	status  int // exit code of the suite's command
	seconds int
	count
}

// parseSuites reads the results file: one suite per line, as format writes it.
func parseSuites(text string) ([]suite, error) {
	var all []suite
	for line := range strings.Lines(text) {
		var s suite
		_, err := fmt.Sscan(line, &s.name, &s.status, &s.seconds, &s.passed, &s.failed, &s.skipped)
		if err != nil {
			return nil, fmt.Errorf("read the result %q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, s)
	}
	return all, nil
}

// settle makes a suite that failed without saying so count as a failure: its command broke, or nothing ran.
// What ran nothing has shown nothing.
func (s suite) settle() (suite, string) {
	switch {
	case s.failed > 0:
		return s, ""
	case s.status != 0:
		s.failed = 1
		return s, fmt.Sprintf("ended with exit code %d", s.status)
	case s.passed == 0:
		s.failed = 1
		return s, "no test ran"
	}
	return s, ""
}

// report prints one line per suite and the sum as the last line, and reports whether everything passed.
func report(out io.Writer, suites []suite) (bool, error) {
	var total count
	var b strings.Builder
	for _, s := range suites {
		s, note := s.settle()
		total.passed += s.passed
		total.failed += s.failed
		total.skipped += s.skipped
		fmt.Fprintf(&b, "%-12s %4d s  %5d passed %5d failed %5d skipped  %s\n", s.name, s.seconds, s.passed, s.failed, s.skipped, note)
	}
	if len(suites) == 0 {
		total.failed = 1
		b.WriteString("no suite ran\n")
	}
	if total.skipped > 0 {
		fmt.Fprintf(&b, "%d skipped\n", total.skipped)
	}
	fmt.Fprintf(&b, "%d passed, %d failed\n", total.passed, total.failed)
	_, err := io.WriteString(out, b.String())
	return total.failed == 0, err
}
