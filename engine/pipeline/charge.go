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
		m.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := m.runGateIn(ctx, n, "gate", g, m.tree, m.wide())
		if err == nil && ctx.Err() == nil {
			err = m.compare(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			report, err = m.confirm(ctx, n, report, m.tree)
		}
		m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: m.charge(report)})
		return report, err
	}
	return m.checkUntil(ctx, n, run, func(report gate.Report) bool {
		return m.AtFirst && !gate.Open([]gate.Report{m.charge(report)})
	})
}

// charge is what a report says against the change. A gate that was not run before charges all it says.
func (m *module) charge(report gate.Report) gate.Report {
	if _, known := m.knownBefore(report.Gate); !known {
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
	if m.suite(name) == nil {
		return before
	}
	return m.Project.Suites.Rewritten(m.changes).Expected(before)
}

// suite is the tests of that name; nil where a gate is none.
func (r *run) suite(name string) *integrity.Suite {
	at := slices.IndexFunc(r.Project.Suites, func(s integrity.Suite) bool { return s.Gate == name })
	if at < 0 {
		return nil
	}
	return &r.Project.Suites[at]
}

// confirm runs a suite again on the same tree where it fails newly: what passes then is flaky, and is not charged. It does not where a
// second execution could not change the result: where something does not compile, or a test that was seen red is red still.
func (m *module) confirm(ctx context.Context, n graph.Node, report gate.Report, tree step.State) (gate.Report, error) {
	charged := m.charge(report)
	if m.suite(report.Gate) == nil || gate.Open([]gate.Report{charged}) || charged.Verdict == gate.NotRun {
		return report, nil
	}
	red, _ := m.allRed().Of(report.Gate)
	for _, f := range charged.Findings {
		if f.Test == "" && f.Rule != gate.RuleMissing || slices.Contains(red, f.Test) {
			return report, nil
		}
	}
	again, err := m.runGateIn(ctx, n, "gate again", report.Gate, tree, m.wide())
	if err != nil {
		return report, err
	}
	return gate.Confirm(report, again), nil
}
