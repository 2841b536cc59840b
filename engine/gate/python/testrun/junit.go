// Package testrun parses the results of Python test runners: pytest's JUnit report, and the notes of Forge's own plugin for pytest and unittest
// (Witness). Places maps their locations to files of a tree.
//
// Invariant: a test counts only if a witness has seen its end.
package testrun

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

// The ways in which a test ends.
const (
	Passed state = iota
	Skipped
	Failed
)

// Outcome is one test, or a module that could not be collected.
type Outcome struct {
	Name    string // "package.module.Class.test_x[1]"
	Path    string // of its file; empty when it is not known
	line    int
	State   state
	Module  bool    // it is no test: its module could not be collected
	Text    string  // the text of the failure, with its traceback
	first   string  // of several failures of one test, that of the first: the place is where it began to fail
	Frames  []frame // of the traceback, outermost first; nil: they are in the text
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

// ParseJunit parses a JUnit report of pytest. internal is the traceback of pytest's own failure; usually empty. A truncated report is an error.
func ParseJunit(text string) (tests []Outcome, internal string, err error) {
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

func (c junitCase) run() Outcome {
	t := Outcome{Name: c.Class + "." + c.Name, Path: c.File}
	if c.Line != nil {
		t.line = max(0, *c.Line+1)
	}
	if c.Class == "" { // of no class and no module: the module itself
		t.Name, t.Module, t.line = c.Name, true, 0
	}
	for _, notes := range [][]junitNote{c.Failure, c.Error} {
		for _, n := range notes {
			t.State = Failed
			t.message = join(t.message, n.Message)
			t.first = cmp.Or(t.first, n.Text)
			t.Text = join(t.Text, n.Text)
		}
	}
	if t.State != Failed && len(c.Skipped) > 0 {
		t.State = Skipped
	}
	return t
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// merge merges the outcomes of the same test, for example of one that failed and whose teardown failed too.
func merge(tests []Outcome) []Outcome {
	at := map[string]int{}
	var all []Outcome
	for _, t := range tests {
		i, known := at[t.Name]
		if !known || t.Module {
			at[t.Name] = len(all)
			all = append(all, t)
			continue
		}
		if all[i].State == Skipped || t.State == Failed {
			all[i].State = t.State
		}
		all[i].first = cmp.Or(all[i].first, t.first)
		all[i].message, all[i].Text = join(all[i].message, t.message), join(all[i].Text, t.Text)
	}
	return all
}

// UnittestRuns are the tests that unittest has reported.
func (w Witness) UnittestRuns() []Outcome {
	var tests []Outcome
	for _, o := range w.outcomes {
		t := Outcome{Name: o.ID, Text: o.Text, Frames: o.Frames}
		t.State = map[string]state{"passed": Passed, "skipped": Skipped}[o.Outcome]
		if o.Outcome != "passed" && o.Outcome != "skipped" {
			t.State = Failed
		}
		if o.Module != "" {
			t.Name, t.Module, t.Path = o.Module, true, o.Module
			t.Frames = nil // the traceback is one of the loader, and the text has the other one
		}
		tests = append(tests, t)
	}
	return merge(tests)
}
