package tool

import (
	"fmt"
	"slices"

	"forge/engine/gate"
)

// Red reports whether new tests were seen to fail, as they must before there is an implementation; if not, reason is
// why. before and after are a suite's reports without and with them. For each new finding, judge decides whether it is
// red (a failing test, or one that names missing code), or returns a fault that makes the whole report not red, such as
// other code that no longer builds. Other findings do not count.
//
// Invariant: a suite that passes, did not run or broke is never red, regardless of judge.
func Red(before, after gate.Report, judge func(gate.Finding) (red bool, fault string)) (ok bool, reason string) {
	switch {
	case before.Verdict == gate.Error:
		return false, "what passed before is not known: " + before.Summary
	case after.Verdict == gate.Pass && noneNew(before, after):
		return false, "all tests pass without an implementation, and none is new: the suite does not run the new tests, or they state what already holds"
	case after.Verdict == gate.Pass:
		return false, "the new tests pass without an implementation: they prove nothing"
	case after.Verdict != gate.Fail:
		return false, fmt.Sprintf("the new tests were not seen to fail (%v): %s", after.Verdict, after.Summary)
	}
	for _, f := range gate.Fresh(before, after) {
		red, fault := judge(f)
		if fault != "" {
			return false, fault
		}
		ok = ok || red
	}
	if !ok {
		return false, "no new test fails: what fails did so before, or is no test" + named(after.Findings)
	}
	return true, ""
}

// named returns the first of some findings, and how many more there are, to end a sentence.
func named(found []gate.Finding) string {
	if len(found) == 0 {
		return ""
	}
	said := ": " + inShort(found[0])
	if more := len(found) - 1; more > 0 {
		said += fmt.Sprintf(", and %d more", more)
	}
	return said
}

// inShort returns a finding with the first line of its message.
func inShort(f gate.Finding) string {
	return gate.Finding{Path: f.Path, Line: f.Line, Test: f.Test, Message: FirstLine(f.Message)}.String()
}

// Unsound is the fault of new tests that cannot compile for a reason of their own: an implementation will not change that, so they prove nothing
// about it.
func Unsound(f gate.Finding) string {
	return "the new tests do not compile, and not because something is missing: " + inShort(f)
}

// noneNew reports whether all passing tests passed before; false if they have no names.
func noneNew(before, after gate.Report) bool {
	known := map[string]bool{}
	for _, test := range before.PassedTests {
		known[test] = true
	}
	return len(after.PassedTests) > 0 && !slices.ContainsFunc(after.PassedTests, func(test string) bool { return !known[test] })
}
