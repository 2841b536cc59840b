package judge

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// charge is what a report says against the change. A gate that was not run before charges all it says; one that nothing of the change concerns
// says nothing.
func (c *Checker) charge(report gate.Report) gate.Report {
	if _, known := c.knownBefore(report.Gate); !known && !report.Unconcerned {
		return report
	}
	return gate.Baseline([]gate.Report{c.expected(report.Gate)}, []gate.Report{report})[0]
}

// Charged is charge of all that gates said of the last attempt.
func (c *Checker) Charged() []gate.Report {
	all := make([]gate.Report, len(c.Now.Checked))
	for i, report := range c.Now.Checked {
		all[i] = c.charge(report)
	}
	return all
}

// expected is what a gate said before the change, less the tests that the change takes away: whether they may go is decided by KeepTheirs.
func (c *Checker) expected(name string) gate.Report {
	before := c.before(name)
	if c.gates.suite(name) == nil {
		return before
	}
	return c.Run.Project.Suites.Rewritten(c.Now.Changes).Expected(before)
}

// confirm runs tests of a suite that fail newly again, alone, on the same tree: what passes then is flaky, and is not charged. It does not where a
// second execution could not change the result: where something does not compile, or a test that was seen red is red still.
func (c *Checker) confirm(ctx context.Context, n graph.Node, report gate.Report, tree step.State) (gate.Report, error) {
	charged := c.charge(report)
	if c.gates.suite(report.Gate) == nil || gate.Open([]gate.Report{charged}) || charged.Verdict == gate.NotRun {
		return report, nil
	}
	red, _ := c.Tests.AllRed().Of(report.Gate)
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
func (c *Checker) runAlone(ctx context.Context, n graph.Node, stepName string, report gate.Report, failed []string, tree step.State) (gate.Report, error) {
	if slices.Contains(failed, "") {
		failed = nil
	}
	for i, scope := range gate.Alone(c.wide(report.Gate), failed) {
		second, err := c.gates.runGateIn(ctx, n, work.Again(stepName, i), report.Gate, tree, scope)
		if err != nil {
			return report, err
		}
		if gate.Tells(second, failed) {
			return gate.Confirm(report, second), nil
		}
	}
	return report, nil
}
