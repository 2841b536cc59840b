package integrity

import (
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// RuleHeld and RuleRegression are the rules of the findings of Promise.Held and Kept.
const (
	RuleHeld       = "held"
	RuleRegression = "regression"
)

// Promise is what a passing suite must show, so that disabling a test does not count as passing it.
type Promise struct {
	Before gate.Report // the suite's report before the run
	Red    []string    // tests that were seen to fail: they must run and pass
	Wanted []string    // tests that failed before the run, and that the task names: they must pass
	New    []string    // those of Red that the work itself must add
	Known  []string    // tests that passed before the work began, which are not new
	// MustBring means that the work must make a failing test pass.
	MustBring bool
	// Rewritten is the effect of the work on existing tests. Other rules judge the removed ones.
	Rewritten Rewritten
	// WasRed means that some tests were seen to fail, with or without names; Broken that some were seen not to compile.
	WasRed, Broken bool
}

// Held checks a passing suite: how much it must show, and what is missing. If neither names nor numbers of tests are known, it
// finds nothing.
func (p Promise) Held(after gate.Report) (executed int, found []gate.Finding) {
	l := look{after: after, rule: RuleHeld}
	if l.named() {
		l.demand(p.Red, steady, "%s was seen to fail before the change, and was not executed with it, or does not pass")
		l.demand(p.Wanted, steady, "%s failed before the change, the task names it, and it still does not pass")
	}
	if p.MustBring && (l.named() || after.Tests) {
		l.demandNew(p)
	}
	if l.named() {
		l.demand(p.lasting(after), lasting, "%s passed before the change, and is not executed any more, or does not pass")
	}
	return l.executed, l.found
}

// lasting returns the tests that passed before and must still pass. For a test in a changed file, one case must pass.
func (p Promise) lasting(after gate.Report) []string {
	if len(p.Rewritten.files) == 0 {
		return p.Before.PassedTests
	}
	passing := map[string][]string{}
	for _, test := range after.PassedTests {
		unit := p.Rewritten.unit(test)
		passing[unit] = append(passing[unit], test)
	}
	return slices.DeleteFunc(slices.Clone(p.Before.PassedTests), func(test string) bool {
		if !p.Rewritten.Touched(test) {
			return false
		}
		cases := passing[p.Rewritten.unit(test)]
		return slices.Contains(cases, test) || slices.ContainsFunc(cases, func(name string) bool { return p.Rewritten.Same(test, name) }) || p.Rewritten.Gone(test)
	})
}

// Expected returns the report from before the change without the tests that the change removes: the least that a suite must
// execute.
func (r Rewritten) Expected(before gate.Report) gate.Report {
	if len(r.files) == 0 {
		return before
	}
	gone := func(test string) bool { return r.Touched(test) } // they may also have fewer cases; Held checks those that must pass
	fewer := 0
	for _, test := range slices.Concat(before.PassedTests, Failing(before.Findings)) {
		if gone(test) {
			fewer++
		}
	}
	before.Executed = max(0, before.Executed-fewer)
	return before
}

// Kept checks the tests from before the run against a suite's report on them with the changed code: how many there are, and which
// no longer pass. A finding names its test, if it has a name.
func Kept(before, after gate.Report) (executed int, found []gate.Finding) {
	l := look{after: after, rule: RuleRegression}
	switch {
	case after.Verdict != gate.Pass && after.Verdict != gate.Fail:
		l.find("", "the tests of %s pass as they are today, and could not be run with this change: %s", before.Gate, after.Summary)
	case len(before.PassedTests) > 0:
		l.demand(before.PassedTests, lasting, "%s passes as it is today, and would fail with this change")
	default: // the tests have no names
		l.executed++
		if after.Verdict == gate.Fail {
			l.find("", "the tests of %s pass as they are today, and would fail with this change", before.Gate)
		}
	}
	return l.executed, l.found
}

// look is the check of one suite's report.
type look struct {
	after    gate.Report
	rule     string
	executed int // the number of checked tests
	found    []gate.Finding
}

// named reports whether the passing tests have names.
func (l *look) named() bool { return len(l.after.PassedTests) > 0 }

func (l *look) find(test, format string, args ...any) {
	l.found = append(l.found, gate.Finding{Severity: gate.SeverityError, Rule: l.rule, Test: test, Message: fmt.Sprintf(format, args...)})
}

// demand finds tests that do not pass. as returns the name to compare; format is a message about a test. A test that did not run
// under its own name passes if another one passes in its place: one with the same compared name that is not demanded itself.
func (l *look) demand(tests []string, as func(test string) string, format string) {
	passing, own, failed := setOf(l.after.PassedTests), setOf(tests), setOf(Failing(l.after.Findings))
	instead := map[string]int{} // how many pass under a name without being demanded
	for _, test := range l.after.PassedTests {
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

// demandNew requires a test that passes now and did not before: one that was seen red, a new one, or, if the red tests did not
// compile, one in the written code. Without names it compares numbers, unless something was seen red.
func (l *look) demandNew(p Promise) {
	unknown := setOf(Beyond(l.after.PassedTests, p.Known))
	isNew := func(test string) bool {
		return unknown[test] || slices.Contains(p.New, test) || p.Broken && p.Rewritten.Written(test)
	}
	l.executed++
	switch {
	case l.named() && slices.ContainsFunc(l.after.PassedTests, isNew):
	case !l.named() && (l.after.Passed > p.Before.Passed || p.WasRed && len(p.Rewritten.files) > 0):
	default:
		l.find("", "no test passes now that did not pass before the change")
	}
}

var number = lazyregexp.New(`\d+`)

// lasting returns the name of a test without parts that may differ in each run, such as a port in the name of a case.
func lasting(test string) string { return number.ReplaceAllString(steady(test), "#") }
