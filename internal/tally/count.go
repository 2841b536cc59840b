package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// count is what a suite's output says.
type count struct {
	passed, failed, skipped int
}

// counter reads a suite's output line by line and passes on what people want to see of it.
type counter struct {
	out      io.Writer
	total    count
	pending  map[string][]string // output of tests and packages that have not ended, by package and test
	inFailed map[string]bool     // packages in which a test has failed
}

// countOutput reads the output of a suite until its end: events of go test -json, where the output of tests
// that pass is left out, or text, where the numbers that node's test runner and our own scripts print count.
func countOutput(in io.Reader, out io.Writer) (count, error) {
	c := &counter{out: out, pending: map[string][]string{}, inFailed: map[string]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			c.line(strings.TrimSuffix(line, "\n"))
		}
		if err == io.EOF {
			return c.total, nil
		}
		if err != nil {
			return c.total, fmt.Errorf("read the output of the tests: %w", err)
		}
	}
}

// event is one line of go test -json; see `go doc test2json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

func (c *counter) line(line string) {
	var e event
	if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
		c.event(e)
		return
	}
	_, _ = fmt.Fprintln(c.out, line) // a closed terminal must not stop the counting
	c.numbers(line)
}

func (c *counter) event(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		c.pending[key] = append(c.pending[key], e.Output)
	case "build-output":
		c.print(e.Output)
	case "pass", "skip", "fail":
		c.ended(e, c.pending[key])
		delete(c.pending, key)
	}
}

// ended counts a test, or a package that failed without a failed test: it did not build, or its process died.
func (c *counter) ended(e event, output []string) {
	switch {
	case e.Action == "fail" && e.Test != "":
		c.total.failed++
		c.inFailed[e.Package] = true
		c.print(output...)
	case e.Action == "fail":
		if !c.inFailed[e.Package] {
			c.total.failed++
		}
		c.print(output...)
	case e.Action == "skip" && e.Test != "":
		c.total.skipped++
		c.print(output...)
	case e.Test != "":
		c.total.passed++
	case e.Action == "pass" && len(output) > 0:
		c.print(output[len(output)-1]) // the line "ok package time"
	}
}

func (c *counter) print(texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(c.out, text)
	}
}

// The lines that count in text: node's summary, as TAP ("# pass 3") or for people ("ℹ pass 3"), and our own
// scripts' last line ("3 passed, 0 failed").
var (
	nodeLine = regexp.MustCompile(`^(?:#|ℹ) (pass|fail|cancelled|skipped) (\d+)$`)
	ownLine  = regexp.MustCompile(`^(\d+) passed, (\d+) failed\b`)
)

func (c *counter) numbers(line string) {
	line = strings.TrimSpace(line)
	if m := ownLine.FindStringSubmatch(line); m != nil {
		c.total.passed += number(m[1])
		c.total.failed += number(m[2])
	}
	m := nodeLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	switch n := number(m[2]); m[1] {
	case "pass":
		c.total.passed += n
	case "skipped":
		c.total.skipped += n
	default:
		c.total.failed += n
	}
}

// number reads digits that a regular expression has found; too many of them are no number of tests.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
