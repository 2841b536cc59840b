package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

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
func (m *module) withHeld(n graph.Node, reports []gate.Report) []gate.Report {
	held := gate.Report{Gate: gateHeld, Verdict: gate.Pass}
	for _, s := range m.Project.Suites {
		at := slices.IndexFunc(reports, func(report gate.Report) bool { return report.Gate == s.Gate })
		if at < 0 || reports[at].Verdict != gate.Pass {
			continue
		}
		executed, found := m.holds(s, m.before(s.Gate), reports[at])
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
	m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: held})
	return append(slices.Clip(reports), held)
}

// nameNew takes down the names of the tests that pass and did not before the run, suite by suite, whether they were seen red or not:
// before there was an implementation they may not have compiled. What joins this change with others has to hold them.
func (m *module) nameNew() {
	for _, s := range m.Project.Suites {
		for _, report := range m.checked {
			if report.Gate != s.Gate {
				continue
			}
			passed := slices.DeleteFunc(slices.Clone(report.Held), func(test string) bool { return slices.Contains(m.before(s.Gate).Held, test) })
			if len(passed) > 0 {
				m.red = mergeRed(m.red, []seenRed{{gate: s.Gate, tests: passed}})
			}
		}
	}
}

// holding is what one suite that passes must hold.
type holding struct {
	before, after gate.Report
	known         []string // tests that passed before the module began
	red           []string // tests that were seen to fail
	wasRed        bool     // some of the module's were, whether they have names or not
	executed      int      // what was looked at
	found         []gate.Finding
}

// holds looks at one suite that passes: how much there is to be held, and what is wrong with it.
func (m *module) holds(s Suite, before, after gate.Report) (executed int, found []gate.Finding) {
	h := holding{before: before, after: after, known: before.Held}
	h.red, h.wasRed = redIn(m.allRed(), s.Gate)
	fresh := h.red // that the module itself has to bring
	if m.part != nil {
		earlier, _ := redIn(m.earlier.red, s.Gate)
		h.known = merge(before.Held, earlier)
		fresh, h.wasRed = redIn(m.red, s.Gate)
	}
	there := m.tests != nil && len(m.tests.Files) == 0 && len(failures(before.Findings)) > 0 // of the task, and not written by it
	changed := m.changesTests()
	if h.named() {
		h.demand(h.red, same, "%s was seen to fail before the change, and was not executed with it, or does not pass")
	}
	if h.named() {
		h.demand(slices.DeleteFunc(failures(before.Findings), m.unnamed), same, "%s failed before the run, the task names it, and it still does not pass")
	}
	if (h.wasRed || there) && (h.named() || after.Tests) {
		h.demandNew(fresh, changed)
	}
	if h.named() && !changed {
		h.demand(before.Held, lasting, "%s passed before the run, and is not executed any more, or does not pass")
	}
	return h.executed, h.found
}

// redIn are the tests of a suite among those that were seen red, and whether there was something of it.
func redIn(all []seenRed, gate string) (tests []string, was bool) {
	for _, red := range all {
		if red.gate == gate {
			return red.tests, true
		}
	}
	return nil, false
}

// named reports whether the tests that pass have names.
func (h *holding) named() bool { return len(h.after.Held) > 0 }

// demand finds tests that do not pass. as is the name that is compared; format is of the message, about a test.
func (h *holding) demand(tests []string, as func(test string) string, format string) {
	passing := map[string]bool{}
	for _, test := range h.after.Held {
		passing[as(test)] = true
	}
	for _, test := range tests {
		if h.executed++; !passing[as(test)] {
			h.found = append(h.found, gate.Finding{Severity: gate.SeverityError, Rule: gateHeld, Test: test, Message: fmt.Sprintf(format, test)})
		}
	}
}

// demandNew finds that no test passes that did not before: one of those that were seen red, or one that is new. Where names are not told
// their number must do, unless tests that are there were changed.
func (h *holding) demandNew(red []string, changed bool) {
	isNew := func(test string) bool { return !slices.Contains(h.known, test) || slices.Contains(red, test) }
	h.executed++
	switch {
	case h.named() && slices.ContainsFunc(h.after.Held, isNew):
	case !h.named() && (h.after.Passed > h.before.Passed || h.wasRed && changed):
	default:
		h.found = append(h.found, gate.Finding{Severity: gate.SeverityError, Rule: gateHeld, Message: "no test passes now that did not pass before the run"})
	}
}

// changesTests reports whether the attempt has taken something out of tests that were there: then it was said why, and is for the
// reviewer to judge which of them may be gone.
func (m *module) changesTests() bool {
	return slices.ContainsFunc(m.changes.Files, func(f patch.FileChange) bool {
		tests, has := m.Project.tests(f)
		return has && loses(tests)
	})
}

var number = regexp.MustCompile(`\d+`)

func same(test string) string { return test }

// lasting is the name of a test without what may be another one each time it runs, such as a port in the name of a case.
func lasting(test string) string { return number.ReplaceAllString(test, "#") }

// unnamed reports whether what the module is to do does not name a test.
func (m *module) unnamed(test string) bool {
	return !slices.ContainsFunc(called(test), func(name string) bool {
		return regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`).MatchString(m.promised())
	})
}

// promised is what the module has to fulfil, in words: a part what the plan says of it, the whole all of the task, and what joins parts
// in between nothing of its own.
func (m *module) promised() string {
	switch {
	case m.id == "": // the whole
		return m.task.Text
	case m.part == nil:
		return ""
	}
	return strings.Join(append([]string{m.goal(), m.part.DoneWhen}, m.part.Verify...), "\n")
}

var (
	withinTest  = regexp.MustCompile(`::| > |[./]`)
	subtestOf   = regexp.MustCompile(`\.(Test\w+)/`)
	distinctive = regexp.MustCompile(`\w_\w|[a-z][A-Z]|\w \w`)
)

// called are the names by which people call a test: its own, and that of the test that it is a case of. A name that is a word of the
// language may mean anything, and is none.
func called(test string) []string {
	parts := withinTest.Split(test, -1)
	names := parts[len(parts)-1:]
	if top := subtestOf.FindStringSubmatch(test); top != nil {
		names = append(names, top[1])
	}
	return slices.DeleteFunc(names, func(name string) bool { return !distinctive.MatchString(name) })
}
