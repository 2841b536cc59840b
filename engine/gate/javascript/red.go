package javascript

import (
	"fmt"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation. before and after
// are the suite's reports without and with them. Red is a test that fails now and did not before, or a file of tests that cannot be
// loaded, because it names what is not there yet. Everything else is not red, and reason says why: nothing failed, nothing ran, the
// gate broke, a test that is no sentence of its language, or code outside of the tests that cannot be loaded any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	switch {
	case before.Verdict == gate.Error:
		return false, "what passed before is not known: " + before.Summary
	case after.Verdict == gate.Pass:
		return false, "the new tests pass without an implementation: they prove nothing"
	case after.Verdict != gate.Fail:
		return false, fmt.Sprintf("the new tests were not seen to fail (%v): %s", after.Verdict, after.Summary)
	}
	red := 0
	for _, f := range gate.Fresh(before, after) {
		switch {
		case f.Test != "" || f.Rule == ruleLoad && IsTest(f.Path):
			red++
		case f.Rule == ruleTest:
		case IsTest(f.Path):
			return false, "a test cannot be read: " + said(f)
		default:
			return false, "the code outside the tests cannot be loaded: " + said(f)
		}
	}
	if red == 0 {
		return false, "no new test fails: what fails did so before, or is no test"
	}
	return true, ""
}

func said(f gate.Finding) string {
	return gate.Finding{Path: f.Path, Line: f.Line, Message: tool.FirstLine(f.Message)}.String()
}
