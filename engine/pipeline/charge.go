package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/step"
)

// checkChange runs the gates on what the module has made. What is emitted of each is what the change is charged with; what is kept in
// checked is what the gate said. Where the user wants it (stopAtFirst), the first gate that charges the change is the last one.
func (m *module) checkChange(ctx context.Context, n graph.Node) ([]gate.Report, error) {
	run := func(g string, i, of int) (gate.Report, error) {
		m.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := m.run.runGateIn(ctx, n, "gate", g, m.now.tree, m.wide(g))
		if err == nil && ctx.Err() == nil {
			err = m.compare(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			err = m.remeasure(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			report, err = m.confirm(ctx, n, report, m.now.tree)
		}
		m.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: m.charge(report)})
		return report, err
	}
	return m.run.checkUntil(ctx, n, m.run.Project.Gates, run, func(report gate.Report) bool {
		return m.run.AtFirst && !gate.Open([]gate.Report{m.charge(report)})
	})
}

// remeasure has a gate look at the tree without the change where what it says of that was measured by an earlier run, and the change would be
// charged for the difference: the world around the folder may be another one by now.
func (m *module) remeasure(ctx context.Context, n graph.Node, report gate.Report) error {
	before, known := m.knownBefore(report.Gate)
	if !known || before.Checked.IsZero() || gate.Open([]gate.Report{m.charge(report)}) {
		return nil
	}
	_, err := m.measuredNow(ctx, n, report.Gate)
	return err
}

// measuredNow has a gate look at the tree without the change, whatever an earlier run measured, and keeps what it says for the comparison.
func (m *module) measuredNow(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	call := step.GateCall{State: m.run.base(), Gate: name, Fresh: true}
	if m.run.narrow(name) {
		call.Scope = m.wide(name)
	}
	report, err := m.run.runGateOnce(ctx, n, "gate before, again/"+name, call)
	if err == nil && ctx.Err() == nil {
		m.based = append(slices.DeleteFunc(slices.Clone(m.based), func(r gate.Report) bool { return r.Gate == name }), report)
	}
	return report, err
}

// excused reports whether a test fails now that an earlier run saw pass: it is no new one, and may fail without the change by now.
func excused(before, now gate.Report) bool {
	return !before.Checked.IsZero() && slices.ContainsFunc(now.Findings, func(f gate.Finding) bool { return slices.Contains(before.Held, f.Test) })
}

// charge is what a report says against the change. A gate that was not run before charges all it says; one that nothing of the change concerns
// says nothing.
func (m *module) charge(report gate.Report) gate.Report {
	if _, known := m.knownBefore(report.Gate); !known && !report.Unconcerned {
		return report
	}
	return gate.Baseline([]gate.Report{m.expected(report.Gate)}, []gate.Report{report})[0]
}

// charged is charge of all that gates said of the last attempt.
func (m *module) charged() []gate.Report {
	all := make([]gate.Report, len(m.checked))
	for i, report := range m.checked {
		all[i] = m.charge(report)
	}
	return all
}

// expected is what a gate said before the change, less the tests that the change takes away: whether they may go is decided by keepTheirs.
func (m *module) expected(name string) gate.Report {
	before := m.before(name)
	if m.run.suite(name) == nil {
		return before
	}
	return m.run.Project.Suites.Rewritten(m.now.changes).Expected(before)
}

// suite is the tests of that name; nil where a gate is none.
func (r *run) suite(name string) *integrity.Suite {
	at := slices.IndexFunc(r.Project.Suites, func(s integrity.Suite) bool { return s.Gate == name })
	if at < 0 {
		return nil
	}
	return &r.Project.Suites[at]
}

// confirm runs tests of a suite that fail newly again, alone, on the same tree: what passes then is flaky, and is not charged. It does not where a
// second execution could not change the result: where something does not compile, or a test that was seen red is red still.
func (m *module) confirm(ctx context.Context, n graph.Node, report gate.Report, tree step.State) (gate.Report, error) {
	charged := m.charge(report)
	if m.run.suite(report.Gate) == nil || gate.Open([]gate.Report{charged}) || charged.Verdict == gate.NotRun {
		return report, nil
	}
	red, _ := m.tested.allRed().Of(report.Gate)
	var failed []string
	for _, f := range charged.Findings {
		if f.Test == "" && f.Rule != gate.RuleMissing || slices.Contains(red, f.Test) {
			return report, nil
		}
		failed = append(failed, f.Test)
	}
	if report.Verdict != gate.Fail {
		failed = nil
	}
	return m.runAlone(ctx, n, "gate again", report, failed, tree)
}

// runAlone runs tests of a suite a second time, and what they are in where they cannot be run alone. Where one has no name it runs the whole suite.
func (m *module) runAlone(ctx context.Context, n graph.Node, stepName string, report gate.Report, failed []string, tree step.State) (gate.Report, error) {
	if slices.Contains(failed, "") {
		failed = nil
	}
	for i, scope := range gate.Alone(m.wide(report.Gate), failed) {
		second, err := m.run.runGateIn(ctx, n, name(stepName, i), report.Gate, tree, scope)
		if err != nil {
			return report, err
		}
		if gate.Tells(second, failed) {
			return gate.Confirm(report, second), nil
		}
	}
	return report, nil
}
