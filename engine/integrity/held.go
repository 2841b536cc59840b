package integrity

import (
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
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
	// Rewritten is what the work makes of tests that were there. Those that it takes away are for others to judge.
	Rewritten Rewritten
	// WasRed is that some tests were seen to fail, whether they have names or not; Broken is that some were seen not to compile.
	WasRed, Broken bool
}

// Held looks at a suite that passes: how much it has to show, and what it does not. Where neither names nor numbers of tests are known
// there is nothing to hold.
func (p Promise) Held(after gate.Report) (executed int, found []gate.Finding) {
	l := look{after: after, rule: RuleHeld}
	if l.named() {
		l.demand(p.Red, same, "%s was seen to fail before the change, and was not executed with it, or does not pass")
		l.demand(p.Wanted, same, "%s failed before the change, the task names it, and it still does not pass")
	}
	if p.MustBring && (l.named() || after.Tests) {
		l.demandNew(p)
	}
	if l.named() {
		l.demand(p.lasting(after), lasting, "%s passed before the change, and is not executed any more, or does not pass")
	}
	return l.executed, l.found
}

// lasting are the tests that passed before and have to pass still. Of a test whose file the work has changed one case has to.
func (p Promise) lasting(after gate.Report) []string {
	if len(p.Rewritten.files) == 0 {
		return p.Before.Held
	}
	passing := map[string][]string{}
	for _, test := range after.Held {
		unit := p.Rewritten.unit(test)
		passing[unit] = append(passing[unit], test)
	}
	return slices.DeleteFunc(slices.Clone(p.Before.Held), func(test string) bool {
		if !p.Rewritten.Touched(test) {
			return false
		}
		cases := passing[p.Rewritten.unit(test)]
		return slices.Contains(cases, test) || slices.ContainsFunc(cases, func(name string) bool { return p.Rewritten.Same(test, name) }) || p.Rewritten.Gone(test)
	})
}

// Expected is what a suite must execute at least, where a change takes tests away: the report from before the change without them.
func (r Rewritten) Expected(before gate.Report) gate.Report {
	if len(r.files) == 0 {
		return before
	}
	gone := func(test string) bool { return r.Touched(test) } // also their cases may be fewer; those that must pass are for Held
	fewer := 0
	for _, test := range slices.Concat(before.Held, Failing(before.Findings)) {
		if gone(test) {
			fewer++
		}
	}
	before.Executed = max(0, before.Executed-fewer)
	return before
}

// Kept looks at tests as they were before the run, and what a suite says of them on code as it is after: how many there are, and which
// would not pass any more. A finding names its test, where it has a name.
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

// demand finds tests that do not pass. as is the name that is compared; format is of the message, about a test. A test that is not executed under
// its own name passes where another one passes in its place: one whose compared name is the same, and that is no other test of those demanded.
func (l *look) demand(tests []string, as func(test string) string, format string) {
	passing, own, failed := setOf(l.after.Held), setOf(tests), setOf(Failing(l.after.Findings))
	instead := map[string]int{} // how many pass under a name, that are not demanded themselves
	for _, test := range l.after.Held {
		if !own[test] {
			instead[as(test)]++
		}
	}
	for _, test := range tests {
		l.executed++
		switch name := as(test); {
		case passing[test]:
		case instead[name] > 0 && !failed[test]:
			instead[name]--
		default:
			l.find(test, format, test)
		}
	}
}

// demandNew finds that no test passes that did not before: one of those that were seen red, one that is new, or, where what was red did not
// compile, one that stands in what was written. Where names are not known their number must do, unless something was seen red.
func (l *look) demandNew(p Promise) {
	known := setOf(p.Known)
	isNew := func(test string) bool {
		return !known[test] || slices.Contains(p.New, test) || p.Broken && p.Rewritten.Written(test)
	}
	l.executed++
	switch {
	case l.named() && slices.ContainsFunc(l.after.Held, isNew):
	case !l.named() && (l.after.Passed > p.Before.Passed || p.WasRed && len(p.Rewritten.files) > 0):
	default:
		l.find("", "no test passes now that did not pass before the change")
	}
}

var number = lazyregexp.New(`\d+`)

func same(test string) string { return test }

// lasting is the name of a test without what may be another one each time it runs, such as a port in the name of a case.
func lasting(test string) string { return number.ReplaceAllString(test, "#") }
