package golang

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an
// implementation. before and after are the test gate's reports without and with them. Red is a test that
// fails now and did not before, or a test file that does not compile, because it names what is not
// there yet. Everything else is not red, and reason says why: nothing failed, nothing ran, the gate
// broke, or it is the code itself that does not build any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	switch {
	case before.Verdict == gate.Error:
		return false, "what passed before is not known: " + before.Summary
	case after.Verdict == gate.Pass:
		return false, "the new tests pass without an implementation: they prove nothing"
	case after.Verdict != gate.Fail:
		return false, fmt.Sprintf("the new tests were not seen to fail (%v): %s", after.Verdict, after.Summary)
	}
	fresh := gate.Fresh(before, after)
	red := 0
	for _, f := range fresh {
		switch inTests := strings.HasSuffix(f.Path, "_test.go"); {
		case f.Test != "" || f.Rule == ruleCompile && inTests:
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
