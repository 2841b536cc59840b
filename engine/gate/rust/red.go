package rust

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// Red reports whether new tests were seen to fail, as they must before there is an implementation. before and after are
// the suite's reports without and with them. Red is a test that fails now and did not before, or a test file that does
// not compile because it names missing code. An error in other code is not red.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a new finding is red, or returns the fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Test != "" || f.Rule != ruleTest && f.Rule != ruleModule && !f.Inferred && strings.HasSuffix(f.Path, ".rs") && IsTest(f.Path),
		strings.HasPrefix(f.Rule, ruleInline):
		return true, ""
	case f.Rule != ruleTest:
		return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
	}
	return false, ""
}

// ruleInline prefixes the rule of compile errors in the tests of a source file.
const ruleInline = "tests/"

// ofTests marks compile errors in the tests of source files.
func (p project) ofTests(findings []gate.Finding) []gate.Finding {
	for i, f := range findings {
		text := string(p.sources.Read(f.Path))
		if f.Line > 0 && !f.Inferred && slices.ContainsFunc(inline(f.Path, text), func(part gate.Part) bool {
			first := 1 + strings.Count(text[:part.Start], "\n")
			return !part.Example && first <= f.Line && f.Line <= first+strings.Count(text[part.Start:part.End], "\n")
		}) {
			findings[i].Rule = ruleInline + f.Rule
		}
	}
	return findings
}
