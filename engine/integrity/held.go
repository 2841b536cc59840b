package integrity

import (
	"fmt"
	"regexp"
	"slices"

	"forge/engine/gate"
)

// RuleHeld and RuleRegression are the rules of the findings of Held and Kept.
const (
	RuleHeld       = "held"
	RuleRegression = "regression"
)

// Promise is what a suite that passes must show, so that no test is passed by keeping it from running.
type Promise struct {
	Before gate.Report // what the suite said before the run
	Red    []string    // tests that were seen to fail: they must be executed and pass
	Wanted []string    // tests that failed before the run, and that the task names: they must pass
	New    []string    // those of Red that the work itself has to bring
	Known  []string    // tests that passed before the work began: they are nothing new
	// MustBring is that the work has to make a test pass that did not.
	MustBring bool
	// Changed is that the work takes something out of tests which were there: then others judge which of them may be gone.
	Changed bool
	// WasRed is that some tests were seen to fail, whether they have names or not.
	WasRed bool
}

// Held looks at a suite that passes: how much it has to show, and what it does not. Where neither names nor numbers of tests are known
// there is nothing to hold.
func (p Promise) Held(after gate.Report) (executed int, found []gate.Finding) {
	l := look{after: after, rule: RuleHeld}
	if l.named() {
		l.demand(p.Red, same, "%s was seen to fail before the change, and was not executed with it, or does not pass")
		l.demand(p.Wanted, same, "%s failed before the run, the task names it, and it still does not pass")
	}
	if p.MustBring && (l.named() || after.Tests) {
		l.demandNew(p)
	}
	if l.named() && !p.Changed {
		l.demand(p.Before.Held, lasting, "%s passed before the run, and is not executed any more, or does not pass")
	}
	return l.executed, l.found
}

// Kept looks at tests as they were before the run, and what a suite says of them on code as it is after: how many there are, and which
// would not pass any more.
func Kept(before, after gate.Report) (executed int, found []gate.Finding) {
	l := look{after: after, rule: RuleRegression}
	switch {
	case after.Verdict != gate.Pass && after.Verdict != gate.Fail:
		l.find("", "the tests of %s pass as they are today, and could not be run with this change: %s", before.Gate, after.Summary)
	case len(before.Held) > 0:
		l.demand(before.Held, lasting, "%s passes as it is today, and would fail with this change")
	case after.Verdict == gate.Fail: // they have no names
		l.find("", "the tests of %s pass as they are today, and would fail with this change", before.Gate)
	}
	return l.executed, l.found
}

// look is a look at what one suite says.
type look struct {
	after    gate.Report
	rule     string
	executed int // what was looked at
	found    []gate.Finding
}

// named reports whether the tests that pass have names.
func (l *look) named() bool { return len(l.after.Held) > 0 }

func (l *look) find(test, format string, args ...any) {
	l.found = append(l.found, gate.Finding{Severity: gate.SeverityError, Rule: l.rule, Test: test, Message: fmt.Sprintf(format, args...)})
}

// demand finds tests that do not pass. as is the name that is compared; format is of the message, about a test.
func (l *look) demand(tests []string, as func(test string) string, format string) {
	passing := map[string]bool{}
	for _, test := range l.after.Held {
		passing[as(test)] = true
	}
	for _, test := range tests {
		if l.executed++; !passing[as(test)] {
			l.find(test, format, test)
		}
	}
}

// demandNew finds that no test passes that did not before: one of those that were seen red, or one that is new. Where names are not told
// their number must do, unless tests that are there were changed.
func (l *look) demandNew(p Promise) {
	isNew := func(test string) bool { return !slices.Contains(p.Known, test) || slices.Contains(p.New, test) }
	l.executed++
	switch {
	case l.named() && slices.ContainsFunc(l.after.Held, isNew):
	case !l.named() && (l.after.Passed > p.Before.Passed || p.WasRed && p.Changed):
	default:
		l.find("", "no test passes now that did not pass before the run")
	}
}

var number = regexp.MustCompile(`\d+`)

func same(test string) string { return test }

// lasting is the name of a test without what may be another one each time it runs, such as a port in the name of a case.
func lasting(test string) string { return number.ReplaceAllString(test, "#") }
