package rust

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation.
// before and after are the suite's reports without and with them. Red is a test that fails now and did not before, or a
// file of tests that does not compile, because it names what is not there yet. An error in a file of code is not red.
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
		case f.Test != "" || f.Rule != ruleTest && f.Rule != ruleModule && strings.HasSuffix(f.Path, ".rs") && IsTest(f.Path):
			red++
		case f.Rule != ruleTest:
			return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
		}
	}
	if red == 0 {
		return false, "no new test fails: what fails did so before, or is no test"
	}
	return true, ""
}
