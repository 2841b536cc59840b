package judge

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// CheckWhole has all of the suites look at a change of which they ran the part that concerns it, where the user wants that before there is a proposal and
// no gate has anything against the change so far. What it is charged with then goes back to the executor, like any other failure.
func (c *Checker) CheckWhole(ctx context.Context, n graph.Node) error {
	c.Now.Checked = slices.Clone(c.Now.Checked)
	for i, report := range c.Now.Checked {
		if ctx.Err() != nil || !c.gates.Partly(report) || !gate.Open(c.Charged()) {
			continue
		}
		c.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: report.Gate, Index: i + 1, Of: len(c.Now.Checked)})
		all, err := c.whole(ctx, n, report)
		if err != nil {
			return err
		}
		c.Now.Checked[i] = all
		c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: c.charge(all)})
	}
	return nil
}

// whole is what all of a suite says of the change, in the place of what a part of it said. Where not all of it can be run the part stands, and the user is
// told.
func (c *Checker) whole(ctx context.Context, n graph.Node, part gate.Report) (gate.Report, error) {
	times := 0
	all, err := gate.Whole(func(with bool, scope gate.Scope) (gate.Report, error) {
		tree := c.Now.Tree
		if !with {
			tree = step.State{Base: tree.Base}
		}
		times++
		call := step.GateCall{State: tree, Gate: part.Gate, Scope: scope, Fresh: true} // what was kept charges nothing
		return c.gates.runGateOnce(ctx, n, fmt.Sprintf("whole %d/%s", times, part.Gate), call)
	})
	if err == nil && ctx.Err() == nil && (all.Verdict == gate.Error || all.Verdict == gate.NotRun) {
		part.Notice = fmt.Sprintf("%s: only a part of the tests was run: %s", part.Gate, all.Summary)
		return part, nil
	}
	return all, err
}

// Partly reports whether a suite ran a part of its tests, and may get through all of them.
func (gs *Gates) Partly(report gate.Report) bool {
	return report.Part && gs.suite(report.Gate) != nil && !gs.unfinished(report.Gate)
}
