package pipeline

import (
	"fmt"
	"regexp"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/patch"
)

const gateHeld = "held"

// seenRed is what was seen of a suite before there was an implementation.
type seenRed struct {
	gate  string   // the suite's
	tests []string // that failed, by their names; none where they did not even compile
}

// withHeld adds the gate held to the reports of a review: suites that pass must have executed the tests that were seen red, something
// must pass that did not before the run, and what passed before must still be executed. So no test is passed by keeping
// it from running. A suite that does not pass says itself what is wrong; where no test was seen red, and where neither names nor
// numbers of tests are known, there is nothing to hold.
func (r *run) withHeld(n graph.Node, reports []gate.Report) []gate.Report {
	held := gate.Report{Gate: gateHeld, Verdict: gate.Pass}
	for _, s := range r.Project.Suites {
		at := slices.IndexFunc(reports, func(report gate.Report) bool { return report.Gate == s.Gate })
		if at < 0 || reports[at].Verdict != gate.Pass {
			continue
		}
		executed, found := r.holds(s, r.before(s.Gate), reports[at])
		held.Executed += executed
		held.Passed += max(0, executed-len(found))
		held.Findings = append(held.Findings, found...)
	}
	if held.Executed == 0 {
		return reports
	}
	held.Summary = fmt.Sprintf("%d of %d tests that must hold are executed and pass", held.Passed, held.Executed)
	if len(held.Findings) > 0 {
		held.Verdict = gate.Fail
		held.Summary = digest(held.Findings[0].Message, 200)
	}
	r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: held})
	return append(slices.Clip(reports), held)
}

// holds looks at one suite that passes: how many tests there are to be held, and what is wrong with them.
func (r *run) holds(s Suite, before, after gate.Report) (executed int, found []gate.Finding) {
	missing := func(test, format string) {
		found = append(found, gate.Finding{Severity: gate.SeverityError, Rule: gateHeld, Test: test, Message: fmt.Sprintf(format, test)})
	}
	names := len(after.Held) > 0
	at := slices.IndexFunc(r.red, func(red seenRed) bool { return red.gate == s.Gate })
	countable := names || after.Tests
	wanted := countable && (at >= 0 || r.tests != nil && len(r.tests.Files) == 0 && len(failures(before.Findings)) > 0)
	if at >= 0 && names {
		for _, test := range r.red[at].tests {
			if executed++; !slices.Contains(after.Held, test) {
				missing(test, "%s was seen to fail before the change, and was not executed with it, or does not pass")
			}
		}
	}
	if wanted {
		if executed++; !r.newlyPassing(at, before, after) {
			found = append(found, gate.Finding{Severity: gate.SeverityError, Rule: gateHeld, Message: "no test passes now that did not pass before the run"})
		}
	}
	if !names || r.changesTests() {
		return executed, found
	}
	still := map[string]bool{}
	for _, test := range after.Held {
		still[lasting(test)] = true
	}
	for _, test := range before.Held {
		if executed++; !still[lasting(test)] {
			missing(test, "%s passed before the run, and is not executed any more, or does not pass")
		}
	}
	return executed, found
}

// newlyPassing reports whether a test passes that did not before: one that was seen red, or one that is new. Where names are not
// told their number must do, unless tests that are there were changed.
func (r *run) newlyPassing(red int, before, after gate.Report) bool {
	if len(after.Held) == 0 {
		return after.Passed > before.Passed || red >= 0 && r.changesTests()
	}
	return slices.ContainsFunc(after.Held, func(test string) bool {
		return !slices.Contains(before.Held, test) || red >= 0 && slices.Contains(r.red[red].tests, test)
	})
}

// changesTests reports whether the attempt has taken something out of tests that were there: then it was said why, and is for the
// reviewer to judge which of them may be gone.
func (r *run) changesTests() bool {
	return slices.ContainsFunc(r.changes.Files, func(f patch.FileChange) bool { return r.Project.IsTest(origin(f)) && loses(f) })
}

var number = regexp.MustCompile(`\d+`)

// lasting is the name of a test without what may be another one each time it runs, such as a port in the name of a case.
func lasting(test string) string { return number.ReplaceAllString(test, "#") }
