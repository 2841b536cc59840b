package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// counter reads a suite's output line by line and passes on what people want to see of it.
type counter struct {
	out      io.Writer
	total    summary
	pending  map[string][]string // output of tests and packages that have not ended, by package and test
	inFailed map[string]bool     // packages in which a test has failed
	parents  map[string]bool     // tests that have subtests, by package and test
}

// countOutput reads the output of a suite until its end: events of go test -json, where the output of tests
// that pass is left out, or text, where the numbers that node's test runner and our own scripts print count.
func countOutput(in io.Reader, out io.Writer) (summary, error) {
	c := &counter{out: out, pending: map[string][]string{}, inFailed: map[string]bool{}, parents: map[string]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			c.line(strings.TrimSuffix(line, "\n"))
		}
		if err == io.EOF {
			return c.sum(), nil
		}
		if err != nil {
			return c.sum(), fmt.Errorf("read the output of the tests: %w", err)
		}
	}
}

// sum is the summary of what was read. A test with subtests takes as long as they do, so that only they are named.
func (c *counter) sum() summary {
	s := c.total
	s.Tests = slow(slices.DeleteFunc(s.Tests, func(t timing) bool { return c.parents[t.Name] }))
	s.Packages = slow(s.Packages)
	return s
}

// event is one line of go test -json; see `go doc test2json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds
}

func (c *counter) line(line string) {
	var e event
	if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
		c.event(e)
		return
	}
	_, _ = fmt.Fprintln(c.out, line) // a closed terminal must not stop the counting
	c.numbers(line)
	c.notRun(line)
}

func (c *counter) event(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		c.pending[key] = append(c.pending[key], e.Output)
	case "build-output":
		c.print(e.Output)
	case "pass", "skip", "fail":
		c.timed(e)
		c.ended(e, c.pending[key])
		delete(c.pending, key)
	}
}

// timed notes how long a test or a package took.
func (c *counter) timed(e event) {
	name := e.Package
	if e.Test == "" {
		c.total.Packages = append(c.total.Packages, timing{name, e.Elapsed})
		return
	}
	name += " "
	c.total.Tests = append(c.total.Tests, timing{name + e.Test, e.Elapsed})
	for parent := path.Dir(e.Test); parent != "."; parent = path.Dir(parent) {
		c.parents[name+parent] = true
	}
}

// ended counts a test, or a package that failed without a failed test: it did not build, or its process died.
func (c *counter) ended(e event, output []string) {
	switch {
	case e.Action == "fail" && e.Test != "":
		c.total.Failed++
		c.inFailed[e.Package] = true
		c.print(output...)
	case e.Action == "fail":
		if !c.inFailed[e.Package] {
			c.total.Failed++
		}
		c.unfinished(e.Package)
		c.print(output...)
	case e.Action == "skip" && e.Test != "":
		c.total.Skipped++
		c.print(output...)
		for _, line := range output {
			c.notRun(line)
		}
	case e.Test != "":
		c.total.Passed++
	case e.Action == "pass": // the line "ok package time", and what the package prints itself, such as how many cases it had
		c.print(slices.DeleteFunc(slices.Clone(output), func(line string) bool { return line == "PASS\n" || line == noTests })...)
	}
}

// noTests is what a package prints of which all tests are left out.
const noTests = "testing: warning: no tests to run\n"

// unfinished prints the output of tests that had not ended when their process did: it has the reason.
func (c *counter) unfinished(pkg string) {
	for _, key := range slices.Sorted(maps.Keys(c.pending)) {
		if strings.HasPrefix(key, pkg+" ") && key != pkg+" " {
			c.print(c.pending[key]...)
			delete(c.pending, key)
		}
	}
}

// notRunLine is how a suite says that it leaves a part out: "not run: NAME: reason".
var notRunLine = regexp.MustCompile(`(?:^|: )not run: (\S+: .+)`)

// notRun keeps what a line says is not run, once for all tests that say the same.
func (c *counter) notRun(line string) {
	m := notRunLine.FindStringSubmatch(strings.TrimSpace(line))
	if m != nil && !slices.Contains(c.total.NotRun, m[1]) {
		c.total.NotRun = append(c.total.NotRun, m[1])
	}
}

func (c *counter) print(texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(c.out, text)
	}
}

// The lines that count in text: node's summary, as TAP ("# pass 3") or for people ("ℹ pass 3"), and our own
// scripts' last line ("3 passed, 0 failed") and lines of steps ("ok NAME (12 ms)").
var (
	nodeLine = regexp.MustCompile(`^(?:#|ℹ) (pass|fail|cancelled|skipped) (\d+)$`)
	ownLine  = regexp.MustCompile(`^(\d+) passed, (\d+) failed\b`)
	stepLine = regexp.MustCompile(`^(?:not )?ok (.+) \((\d+) ms\)$`)
)

func (c *counter) numbers(line string) {
	line = strings.TrimSpace(line)
	if m := ownLine.FindStringSubmatch(line); m != nil {
		c.total.Passed += number(m[1])
		c.total.Failed += number(m[2])
	}
	if m := stepLine.FindStringSubmatch(line); m != nil {
		c.total.Tests = append(c.total.Tests, timing{m[1], float64(number(m[2])) / 1000})
	}
	m := nodeLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	switch n := number(m[2]); m[1] {
	case "pass":
		c.total.Passed += n
	case "skipped":
		c.total.Skipped += n
	default:
		c.total.Failed += n
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
