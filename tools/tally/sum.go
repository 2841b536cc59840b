package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// suite is one line of the results file.
type suite struct {
	name    string
	status  int     // exit code of the suite's command
	seconds int     // from its start to its end
	cpu     float64 // seconds of all processors, of all its processes
	absent  string  // why it was not run; empty when it was
	summary
}

// parseSuites reads the results file: one suite per line, as scripts/test.sh writes it.
func parseSuites(text string) ([]suite, error) {
	var all []suite
	for line := range strings.Lines(text) {
		s, err := parseSuite(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("read the result %q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parseSuite(line string) (suite, error) {
	if rest, ok := strings.CutPrefix(line, "not-run "); ok {
		name, reason, ok := strings.Cut(rest, " ")
		if !ok {
			return suite{}, errors.New("it gives no reason")
		}
		return suite{name: name, absent: reason}, nil
	}
	fields := strings.SplitN(line, " ", 5)
	if len(fields) != 5 {
		return suite{}, fmt.Errorf("it has %d fields, not 5", len(fields))
	}
	s := suite{name: fields[0]}
	if _, err := fmt.Sscan(strings.Join(fields[1:4], " "), &s.status, &s.seconds, &s.cpu); err != nil {
		return suite{}, err
	}
	return s, json.Unmarshal([]byte(fields[4]), &s.summary)
}

// settle makes a suite that failed without saying so count as a failure: its command broke, or nothing ran.
// What ran nothing has shown nothing.
func (s suite) settle() (suite, string) {
	switch {
	case s.Failed > 0:
		return s, ""
	case s.status != 0:
		s.Failed = 1
		return s, fmt.Sprintf("ended with exit code %d", s.status)
	case s.Passed == 0 && len(s.NotRun) == 0:
		s.Failed = 1
		return s, "no test ran"
	}
	return s, ""
}

// total adds up all suites.
type total struct {
	count
	cpu             float64
	notRun          []string
	tests, packages []timing
}

func (t *total) add(s suite) {
	t.Passed += s.Passed
	t.Failed += s.Failed
	t.Skipped += s.Skipped
	t.cpu += s.cpu
	for _, part := range s.NotRun {
		t.notRun = append(t.notRun, s.name+"/"+part)
	}
	t.tests = append(t.tests, s.Tests...)
	t.packages = append(t.packages, s.Packages...)
}

// report prints one line per suite, how long all of them took, the slowest packages and tests, what was not run, and the sum as the last line. wall is
// in seconds, and less than the sum of what the suites took where they ran beside each other. It reports whether everything that ran passed, and
// something did.
func report(out io.Writer, suites []suite, wall int) (bool, error) {
	var t total
	var b strings.Builder
	for _, s := range suites {
		if s.absent != "" {
			t.Skipped++
			t.notRun = append(t.notRun, s.name+": "+s.absent)
			fmt.Fprintf(&b, "%-12s not run\n", s.name)
			continue
		}
		s, note := s.settle()
		t.add(s)
		fmt.Fprintf(&b, "%-12s %4d s %6.0f CPU-s %5d passed %5d failed %5d skipped  %s\n", s.name, s.seconds, s.cpu, s.Passed, s.Failed, s.Skipped, note)
	}
	if t.Passed+t.Failed == 0 {
		t.Failed = 1
		b.WriteString("no suite ran\n")
	}
	t.write(&b, wall)
	_, err := io.WriteString(out, b.String())
	return t.Failed == 0, err
}

func (t *total) write(b *strings.Builder, wall int) {
	fmt.Fprintf(b, "%-12s %4d s %6.0f CPU-s\n\n", "together", wall, t.cpu)
	list(b, "slowest packages", t.packages)
	list(b, "slowest tests", t.tests)
	for _, part := range t.notRun {
		fmt.Fprintf(b, "not run: %s\n", part)
	}
	fmt.Fprintf(b, "%d passed, %d failed", t.Passed, t.Failed)
	if t.Skipped > 0 {
		fmt.Fprintf(b, ", %d skipped", t.Skipped)
	}
	b.WriteString("\n")
}

func list(b *strings.Builder, title string, all []timing) {
	all = slices.DeleteFunc(all, func(t timing) bool { return t.Seconds < 0.1 })
	if all = slow(all); len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n", title)
	for _, one := range all {
		fmt.Fprintf(b, "%8.1f s  %s\n", one.Seconds, one.Name)
	}
	b.WriteString("\n")
}
