package rust

import (
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation.
// before and after are the suite's reports without and with them. Red is a test that fails now and did not before, or a
// file of tests that does not compile, because it names what is not there yet. An error in a file of code is not red.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge says whether a finding that is new is red, or what is at fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Test != "" || f.Rule != ruleTest && f.Rule != ruleModule && strings.HasSuffix(f.Path, ".rs") && IsTest(f.Path):
		return true, ""
	case f.Rule != ruleTest:
		return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
	}
	return false, ""
}
