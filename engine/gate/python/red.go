package python

import (
	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation. before and after
// are the test gate's reports without and with them. Red is a test that fails now and did not before, or a test module that cannot be
// collected because it imports what is not there yet. Everything else is not red, and reason says why: nothing failed, nothing ran,
// the gate broke, the tests themselves are at fault, or it is the code outside of them that does not compile any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge says whether a finding that is new is red, or what is at fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Rule == testrun.RuleTest && f.Test != "", f.Rule == testrun.RuleImport:
		return true, ""
	case f.Rule == testrun.RuleSyntax && testrun.IsTest(f.Path):
		return false, "the new tests are no Python: " + inShort(f)
	case f.Rule == testrun.RuleSyntax:
		return false, "the code outside of the tests does not compile: " + inShort(f)
	case f.Rule == testrun.RuleAfter: // such as warnings about what the tests that fail left open
		return false, ""
	case f.Rule != testrun.RuleTest:
		return false, "the tests cannot be run as they are: " + inShort(f)
	}
	return false, ""
}

func inShort(f gate.Finding) string {
	f.Message = tool.FirstLine(f.Message)
	return f.String()
}
