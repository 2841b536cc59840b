package judge

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// Checker judges the change of the attempt under way by gates: it takes the tree and the change, and knows what gates said of both sides.
type Checker struct {
	*work.Module
	gates *Gates

	based []gate.Report // what they said of the tree without the change, in its scope, where the baseline does not have it
}

// NewChecker judges the change of a module by the gates of its run.
func NewChecker(u *work.Module, gates *Gates) *Checker { return &Checker{Module: u, gates: gates} }

// CheckChange runs the gates on what the module has made. What is emitted of each is what the change is charged with; what is kept in
// checked is what the gate said. Where the user wants it (stopAtFirst), the first gate that charges the change is the last one.
func (c *Checker) CheckChange(ctx context.Context, n graph.Node) error {
	return c.check(ctx, n, func(g string, i, of int) {
		c.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
	})
}

// check is CheckChange; started reports that a gate has started.
func (c *Checker) check(ctx context.Context, n graph.Node, started func(g string, i, of int)) (err error) {
	run := func(g string, i, of int) (gate.Report, error) {
		started(g, i, of)
		name := "gate"
		if c.gates.unfinished(g) {
			name = "gate in part" // the whole may have been tried while the baseline was measured
		}
		report, err := c.gates.runGateIn(ctx, n, name, g, c.Now.Tree, c.wide(g))
		if err == nil && ctx.Err() == nil {
			err = c.compare(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			err = c.remeasure(ctx, n, report)
		}
		if err == nil && ctx.Err() == nil {
			report, err = c.confirm(ctx, n, report, c.Now.Tree)
		}
		c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: c.charge(report)})
		return report, err
	}
	c.Now.Checked, err = c.gates.CheckUntil(ctx, n, c.Run.Project.Gates, run, func(report gate.Report) bool {
		return c.Run.AtFirst && !gate.Open([]gate.Report{c.charge(report)})
	})
	if err == nil {
		c.drop(work.IsWaived)
	}
	return err
}

// Take has reports of gates that have seen the tree already stand for their judgement of the change.
func (c *Checker) Take(n graph.Node, reports []gate.Report) {
	for _, report := range reports {
		c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	c.Now.Checked = reports
	c.drop(work.IsWaived)
}

// drop forgets reports of gates.
func (c *Checker) drop(which func(gate.Report) bool) {
	c.Now.Checked = slices.DeleteFunc(slices.Clone(c.Now.Checked), which)
}

// wide is the scope in which a gate judges the change of the module.
func (c *Checker) wide(name string) gate.Scope {
	return c.gates.scope(name, gate.ReachWide, c.Now.Changes)
}

func (c *Checker) add(n graph.Node, report gate.Report) {
	c.Now.Checked = append(c.Now.Checked, report)
	c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
}

// fresh is what a gate says of the joined tree that it does not say of the user's. That is asked only where there is something
// to charge.
func (c *Checker) fresh(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	report, err := c.gates.RunGate(ctx, n, "joined", name, c.Now.Tree)
	if err != nil || report.Verdict != gate.Fail {
		return report, err
	}
	before, err := c.gates.RunGate(ctx, n, "unjoined", name, c.Run.Folder())
	return gate.Baseline([]gate.Report{before}, []gate.Report{report})[0], err
}
