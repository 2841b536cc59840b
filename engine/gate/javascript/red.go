package javascript

import (
	"forge/engine/gate"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation. before and after
// are the suite's reports without and with them. Red is a test that fails now and did not before, or a file of tests that cannot be
// loaded, because it names what is not there yet. Everything else is not red, and reason says why: nothing failed, nothing ran, the
// gate broke, a test that is no sentence of its language, or code outside of the tests that cannot be loaded any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge says whether a finding that is new is red, or what is at fault.
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
