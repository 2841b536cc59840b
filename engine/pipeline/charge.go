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

// checker judges the change of the attempt under way by gates: it takes the tree and the change, and knows what gates said of both sides.
type checker struct {
	run    *run
	gates  *gates
	job    *job
	begin  *beginning
	now    *attempt
	tested *tested

	checked []gate.Report // what gates said of the tree, whatever they said before the run
	based   []gate.Report // what they said of the tree without the change, in its scope, where the baseline does not have it
}

// checkChange runs the gates on what the module has made. What is emitted of each is what the change is charged with; what is kept in
// checked is what the gate said. Where the user wants it (stopAtFirst), the first gate that charges the change is the last one.
func (c *checker) checkChange(ctx context.Context, n graph.Node) (err error) {
	run := func(g string, i, of int) (gate.Report, error) {
		c.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := c.gates.runGateIn(ctx, n, "gate", g, c.now.tree, c.wide(g))
		if err == nil && ctx.Err() == nil {
			err = c.compare(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			err = c.remeasure(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			report, err = c.confirm(ctx, n, report, c.now.tree)
		}
		c.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: c.charge(report)})
		return report, err
	}
	c.checked, err = c.gates.checkUntil(ctx, n, c.run.Project.Gates, run, func(report gate.Report) bool {
		return c.run.AtFirst && !gate.Open([]gate.Report{c.charge(report)})
	})
	if err == nil {
		c.drop(isWaived)
	}
	return err
}

// remeasure has a gate look at the tree without the change where what it says of that was measured by an earlier run, and the change would be
// charged for the difference: the world around the folder may be another one by now.
func (c *checker) remeasure(ctx context.Context, n graph.Node, report gate.Report) error {
	before, known := c.knownBefore(report.Gate)
	if !known || before.Checked.IsZero() || gate.Open([]gate.Report{c.charge(report)}) {
		return nil
	}
	_, err := c.measuredNow(ctx, n, report.Gate)
	return err
}

// measuredNow has a gate look at the tree without the change, whatever an earlier run measured, and keeps what it says for the comparison.
func (c *checker) measuredNow(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	call := step.GateCall{State: c.run.base(), Gate: name, Fresh: true}
	if c.gates.narrow(name) {
		call.Scope = c.wide(name)
	}
	report, err := c.gates.runGateOnce(ctx, n, "gate before, again/"+name, call)
	if err == nil && ctx.Err() == nil {
		c.based = append(slices.DeleteFunc(slices.Clone(c.based), func(r gate.Report) bool { return r.Gate == name }), report)
	}
	return report, err
}

// excused reports whether a test fails now that an earlier run saw pass: it is no new one, and may fail without the change by now.
func excused(before, now gate.Report) bool {
	return !before.Checked.IsZero() && slices.ContainsFunc(now.Findings, func(f gate.Finding) bool { return slices.Contains(before.Held, f.Test) })
}

// charge is what a report says against the change. A gate that was not run before charges all it says; one that nothing of the change concerns
// says nothing.
func (c *checker) charge(report gate.Report) gate.Report {
	if _, known := c.knownBefore(report.Gate); !known && !report.Unconcerned {
		return report
	}
	return gate.Baseline([]gate.Report{c.expected(report.Gate)}, []gate.Report{report})[0]
}

// charged is charge of all that gates said of the last attempt.
func (c *checker) charged() []gate.Report {
	all := make([]gate.Report, len(c.checked))
	for i, report := range c.checked {
		all[i] = c.charge(report)
	}
	return all
}

// expected is what a gate said before the change, less the tests that the change takes away: whether they may go is decided by keepTheirs.
func (c *checker) expected(name string) gate.Report {
	before := c.before(name)
	if c.gates.suite(name) == nil {
		return before
	}
	return c.run.Project.Suites.Rewritten(c.now.changes).Expected(before)
}

// suite is the tests of that name; nil where a gate is none.
func (gs *gates) suite(name string) *integrity.Suite {
	at := slices.IndexFunc(gs.run.Project.Suites, func(s integrity.Suite) bool { return s.Gate == name })
	if at < 0 {
		return nil
	}
	return &gs.run.Project.Suites[at]
}

// confirm runs tests of a suite that fail newly again, alone, on the same tree: what passes then is flaky, and is not charged. It does not where a
// second execution could not change the result: where something does not compile, or a test that was seen red is red still.
func (c *checker) confirm(ctx context.Context, n graph.Node, report gate.Report, tree step.State) (gate.Report, error) {
	charged := c.charge(report)
	if c.gates.suite(report.Gate) == nil || gate.Open([]gate.Report{charged}) || charged.Verdict == gate.NotRun {
		return report, nil
	}
	red, _ := c.tested.allRed().Of(report.Gate)
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
	return c.runAlone(ctx, n, "gate again", report, failed, tree)
}

// runAlone runs tests of a suite a second time, and what they are in where they cannot be run alone. Where one has no name it runs the whole suite.
func (c *checker) runAlone(ctx context.Context, n graph.Node, stepName string, report gate.Report, failed []string, tree step.State) (gate.Report, error) {
	if slices.Contains(failed, "") {
		failed = nil
	}
	for i, scope := range gate.Alone(c.wide(report.Gate), failed) {
		second, err := c.gates.runGateIn(ctx, n, name(stepName, i), report.Gate, tree, scope)
		if err != nil {
			return report, err
		}
		if gate.Tells(second, failed) {
			return gate.Confirm(report, second), nil
		}
	}
	return report, nil
}

// take has reports of gates that have seen the tree already stand for their judgement of the change.
func (c *checker) take(n graph.Node, reports []gate.Report) {
	for _, report := range reports {
		c.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	c.checked = reports
	c.drop(isWaived)
}

// drop forgets reports of gates.
func (c *checker) drop(which func(gate.Report) bool) {
	c.checked = slices.DeleteFunc(slices.Clone(c.checked), which)
}
