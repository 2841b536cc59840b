package javascript

import (
	"forge/engine/gate"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
)

// Red reports whether new tests were seen to fail, as they must before there is an implementation. before and after are the suite's
// reports without and with them. Red is a test that fails now and did not before, or a test file that cannot be loaded because it
// names missing code. Everything else is not red, and reason tells why: nothing failed, nothing ran, the gate broke, a test has a
// syntax error, or code outside of the tests can no longer be loaded.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a new finding is red, or returns the fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Test != "" || f.Rule == testrun.RuleLoad && testrun.IsTest(f.Path):
		return true, ""
	case f.Rule == testrun.RuleTest:
		return false, ""
	case testrun.IsTest(f.Path):
		return false, "a test cannot be read: " + said(f)
	}
	return false, "the code outside the tests cannot be loaded: " + said(f)
}

func said(f gate.Finding) string {
	return gate.Finding{Path: f.Path, Line: f.Line, Message: tool.FirstLine(f.Message)}.String()
}
