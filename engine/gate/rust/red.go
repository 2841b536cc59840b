package rust

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// Red reports whether new tests were seen to fail, as they must before there is an implementation. before and after are
// the suite's reports without and with them. Red is a test that fails now and did not before, or a test file that does
// not compile because it names missing code. An error in other code is not red, and neither is a mistake of the tests themselves.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a new finding is red, or returns the fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch inTests := strings.HasPrefix(f.Rule, ruleInline) || !f.Inferred && strings.HasSuffix(f.Path, ".rs") && IsTest(f.Path); {
	case inTests && f.Test == "" && own(f):
		return false, tool.Unsound(f)
	case f.Test != "" || f.Rule != ruleTest && f.Rule != ruleModule && !f.Inferred && strings.HasSuffix(f.Path, ".rs") && IsTest(f.Path),
		strings.HasPrefix(f.Rule, ruleInline):
		return true, ""
	case f.Rule != ruleTest:
		return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
	}
	return false, ""
}

// own reports whether the compiler rejects something that no implementation changes: what cannot be parsed, or a lint that the crate denies.
// Such errors have no code, or the name of the lint; but so has a macro that is missing.
func own(f gate.Finding) bool {
	rule := strings.TrimPrefix(f.Rule, ruleInline)
	return strings.HasPrefix(rule, "unused_") || rule == ruleCompile && isUnparsable.MatchString(f.Message)
}

var isUnparsable = lazyregexp.New(`^(?:expected |unexpected |unterminated |unknown start of token|mismatched closing delimiter|this file contains an unclosed delimiter)`)

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
