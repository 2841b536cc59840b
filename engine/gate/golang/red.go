package golang

import (
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// Red reports whether tests that were just written were seen to fail, as they must before there is an
// implementation. before and after are the test gate's reports without and with them. Red is a test that
// fails now and did not before, or a test file that does not compile, because it names what is not
// there yet. Everything else is not red, and reason says why: nothing failed, nothing ran, the gate
// broke, a test file has a mistake of its own, or it is the code itself that does not build any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge says whether a finding that is new is red, or what is at fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch inTests := strings.HasSuffix(f.Path, "_test.go"); {
	case f.Test == "" && f.Rule == ruleCompile && inTests && isOwn.MatchString(f.Message):
		return false, tool.Unsound(f)
	case f.Test != "" || f.Rule == ruleCompile && inTests && !f.Inferred:
		return true, ""
	case f.Rule != ruleTest:
		return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
	}
	return false, ""
}

// isOwn matches what the compiler says of mistakes that have nothing to do with what is missing elsewhere. The type checker counts names in
// expressions that it cannot check as used.
var isOwn = lazyregexp.New(`(?m)^declared and not used: |^\S+ declared and not used$|imported(?: as \S+)? and not used|^syntax error: |^expected .+, found |^missing ',' |^illegal |^missing return$|` +
	`^no new variables on left side of :=|^label \S+ defined and not used| redeclared in this block|^(?:string|rune|comment) (?:literal )?not terminated|\(.+\) is not used$`)
