package overseer

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/inert"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// The categories of lessons, as memory names them.
const (
	Convention = "convention"      // a rule of a linter or formatter
	Dependency = "dependency"      // a missing module or package
	Failing    = "failure_pattern" // a compiler or a test
)

// Cause is why checks failed. Category and Text are its identity: the same cause has the same text in each run.
type Cause struct {
	Category string
	Text     string // the check, where it fails and how: "go test: sum.TestAdd in add_test.go: assertion"
	Gate     string // the gate that reported it first
	Said     string // beginning of its message; empty if that holds for one tree only

	path, message string
	line          int
	test          bool
}

// Lesson is what two attempts teach together: a cause that a later attempt removed, and the few changed lines that removed it.
//
// Invariant: a failure of the machine teaches nothing. Time-outs, flaky tests, missing programs, refused permissions and paths of scratch trees are
// no causes.
type Lesson struct {
	Cause
	Fix   string   // the changed lines that mattered: "in list.go, add `Add`"
	Paths []string // files of the fix, sorted
}

// mostLessons limits the lessons of an attempt.
const mostLessons = 3

// LessonsOf returns the lessons of an attempt, at most three: each cause in the gate reports before that is gone in those after, where
// a gate that reported it has executed checks and passes, with the change from the failed texts to the passing ones. Causes that one
// change removed are one lesson, the first. isTest reports whether a file is a test.
func LessonsOf(before, after []gate.Report, failed, passed patch.ChangeSet, isTest func(path string) bool) (lessons []Lesson) {
	left := CausesOf(after)
	all := hunksOf(failed, passed)
	for _, c := range CausesOf(before) {
		gone := !slices.ContainsFunc(left, c.same) && slices.ContainsFunc(after, func(r gate.Report) bool {
			return r.Gate == c.Gate && r.Verdict == gate.Pass && r.Executed > 0
		})
		if !gone || len(lessons) == mostLessons {
			continue
		}
		mattered := c.mattered(all, isTest)
		fix := describe(mattered)
		told := slices.ContainsFunc(lessons, func(l Lesson) bool { return l.Fix == fix })
		if fix == "" || told || c.obvious(mattered) {
			continue
		}
		lessons = append(lessons, Lesson{Cause: c, Fix: fix, Paths: pathsOf(mattered)})
	}
	return lessons
}

func (c Cause) same(o Cause) bool { return c.Category == o.Category && c.Text == o.Text }

// CausesOf returns why gates failed, each cause once, in the order of the reports.
func CausesOf(reports []gate.Report) (causes []Cause) {
	for _, r := range reports {
		if r.Verdict != gate.Fail {
			continue
		}
		for _, f := range r.Findings {
			c, ok := causeOf(r, f)
			if ok && !slices.ContainsFunc(causes, c.same) {
				causes = append(causes, c)
			}
		}
	}
	return causes
}

// missing matches messages about a missing module or package.
var missing = lazyregexp.New(`(?i)no required module provides package|cannot find module providing package|is not in std\b|Cannot find (module|package) ['"]|No module named|can't find crate|unresolved import|could not resolve ['"]`)

// scratch matches absolute paths of a machine.
var scratch = lazyregexp.New(`(^|[\s"'(=:\[])(/(tmp|var|private|home|root|Users|dev|proc|run|mnt|opt|usr)/\S+|[A-Za-z]:\\\S*)`)

// causeOf returns the cause of a finding, unless it does not concern the code.
func causeOf(r gate.Report, f gate.Finding) (Cause, bool) {
	failure, lacks := FailureOf(r.Gate, f), missing.MatchString(f.Message)
	if !f.Blocks() && !r.Strict || !lacks && transient(r, f, failure) {
		return Cause{}, false
	}
	said := firstLine(f.Message)
	c := Cause{Category: Failing, Text: Normalise(said), Gate: r.Gate, path: f.Path, line: f.Line, message: f.Message, test: f.Test != ""}
	switch {
	case lacks:
		c.Category, c.Text = Dependency, Normalise(scratch.ReplaceAllString(said, ""))
	case c.test:
		c.Text = r.Gate + ": " + path.Base(f.Test) + in(f.Path) + ": " + failure.Class
	case style(r) && f.Rule != "":
		c.Category, c.Text = Convention, r.Gate+": "+f.Rule
	}
	c.Text = inert.Clip(c.Text, mostText)
	if !scratch.MatchString(said) && !strings.Contains(c.Text, said) {
		c.Said = inert.Clip(strings.Join(strings.Fields(said), " "), mostSaid)
	}
	return c, c.Text != ""
}

// transient reports whether a finding is about the machine or the moment, or only follows from what a compiler reports.
func transient(r gate.Report, f gate.Finding, failure Failure) bool {
	if f.Test != "" {
		return slices.Contains(r.Flaky, f.Test) || failure.Class == TimeOut || failure.Class == DoesNotBuild
	}
	return scratch.MatchString(firstLine(f.Message)) || Obstacle(f.Message)
}

// The limits of texts, in bytes.
const (
	mostText = 160
	mostSaid = 100
)

// typeCheckers are gates that decide like linters, and whose findings are about what the code does.
var typeCheckers = []string{"tsc", "python types"}

// style reports whether a gate checks how code is written.
func style(r gate.Report) bool {
	return r.Weight != gate.Required && !r.Tests && !slices.Contains(typeCheckers, r.Gate)
}

func in(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

// obvious reports whether the message itself shows the fix: the name that it misses is in the added lines, so that the attempt has
// only completed its own code.
func (c Cause) obvious(fix []hunk) bool {
	names := Unresolved([]gate.Report{{Verdict: gate.Fail, Findings: []gate.Finding{{Message: c.message}}}})
	return !c.test && len(names) > 0 && slices.ContainsFunc(fix, func(h hunk) bool {
		return slices.ContainsFunc(h.added, func(line string) bool { return hasWord(line, names[0]) })
	})
}
