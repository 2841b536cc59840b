package python

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// state is how a test ended.
type state int

const (
	passed state = iota
	skipped
	failed
)

// testRun is one test, or a module that could not be collected.
type testRun struct {
	name    string // "package.module.Class.test_x[1]"
	path    string // of its file; empty when it is not known
	line    int
	state   state
	module  bool    // it is no test: its module could not be collected
	text    string  // what was said of the failure, traceback and all
	first   string  // of several failures of one test, that of the first: the place is where it began to fail
	frames  []frame // of the traceback, outermost first; nil: they are in the text
	message string  // in short
}

// junitCase is a test in pytest's junit xml, of the family xunit1.
type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	File    string      `xml:"file,attr"`
	Line    *int        `xml:"line,attr"` // from 0
	Failure []junitNote `xml:"failure"`
	Error   []junitNote `xml:"error"`
	Skipped []junitNote `xml:"skipped"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// parseJunit reads a report of pytest's. The second value is the traceback of pytest itself where it broke. A report that is cut off is
// an error.
func parseJunit(text string) (tests []testRun, internal string, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	seen := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && seen {
			return merge(tests), internal, nil
		}
		if err != nil {
			return nil, "", fmt.Errorf("understand the report of the tests: %w", err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		seen = seen || start.Name.Local == "testsuite"
		if start.Name.Local != "testcase" {
			continue
		}
		var c junitCase
		if err := decoder.DecodeElement(&c, &start); err != nil {
			return nil, "", fmt.Errorf("understand the report of the tests: %w", err)
		}
		if c.Class == "pytest" && c.Name == "internal" {
			for _, e := range c.Error {
				internal += e.Text
			}
			continue
		}
		tests = append(tests, c.run())
	}
}

func (c junitCase) run() testRun {
	t := testRun{name: c.Class + "." + c.Name, path: c.File}
	if c.Line != nil {
		t.line = max(0, *c.Line+1)
	}
	if c.Class == "" { // of no class and no module: the module itself
		t.name, t.module, t.line = c.Name, true, 0
	}
	for _, notes := range [][]junitNote{c.Failure, c.Error} {
		for _, n := range notes {
			t.state = failed
			t.message = join(t.message, n.Message)
			t.first = cmp.Or(t.first, n.Text)
			t.text = join(t.text, n.Text)
		}
	}
	if t.state != failed && len(c.Skipped) > 0 {
		t.state = skipped
	}
	return t
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// merge makes one of what is said of the same test twice, as of one that failed, and whose end failed as well.
func merge(tests []testRun) []testRun {
	at := map[string]int{}
	var all []testRun
	for _, t := range tests {
		i, known := at[t.name]
		if !known || t.module {
			at[t.name] = len(all)
			all = append(all, t)
			continue
		}
		if all[i].state == skipped || t.state == failed {
			all[i].state = t.state
		}
		all[i].first = cmp.Or(all[i].first, t.first)
		all[i].message, all[i].text = join(all[i].message, t.message), join(all[i].text, t.text)
	}
	return all
}

// unittestRuns are the tests that unittest has told of.
func (w witness) unittestRuns() []testRun {
	var tests []testRun
	for _, o := range w.outcomes {
		t := testRun{name: o.ID, text: o.Text, frames: o.Frames}
		t.state = map[string]state{"passed": passed, "skipped": skipped}[o.Outcome]
		if o.Outcome != "passed" && o.Outcome != "skipped" {
			t.state = failed
		}
		if o.Module != "" {
			t.name, t.module, t.path = o.Module, true, o.Module
			t.frames = nil // the traceback is one of the loader, and the text has the other one
		}
		tests = append(tests, t)
	}
	return merge(tests)
}
