package tool

import (
	"fmt"
	"slices"

	"forge/engine/gate"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation; if
// not, reason says why. before and after are a suite's reports without and with them. Of each finding that is new, judge
// says whether it is red (a test that fails, or one that names what is not there yet), or what makes all of it not red,
// such as code outside of the tests that does not build any more. A finding that is neither does not count.
//
// Invariant: what passes, did not run or broke is never red, whatever judge says.
func Red(before, after gate.Report, judge func(gate.Finding) (red bool, fault string)) (ok bool, reason string) {
	switch {
	case before.Verdict == gate.Error:
		return false, "what passed before is not known: " + before.Summary
	case after.Verdict == gate.Pass && noneNew(before, after):
		return false, "all tests pass without an implementation, and none is new: the suite does not run what was written, or it states what is so already"
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
		return false, "no new test fails: what fails did so before, or is no test"
	}
	return true, ""
}

// noneNew reports whether only tests passed that did before; not where they have no names.
func noneNew(before, after gate.Report) bool {
	known := map[string]bool{}
	for _, test := range before.Held {
		known[test] = true
	}
	return len(after.Held) > 0 && !slices.ContainsFunc(after.Held, func(test string) bool { return !known[test] })
}
