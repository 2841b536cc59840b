package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// checker judges the change of the attempt under way by gates: it takes the tree and the change, and knows what gates said of both sides.
type checker struct {
	*unit
	gates *gates

	based []gate.Report // what they said of the tree without the change, in its scope, where the baseline does not have it
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
	c.now.checked, err = c.gates.checkUntil(ctx, n, c.run.Project.Gates, run, func(report gate.Report) bool {
		return c.run.AtFirst && !gate.Open([]gate.Report{c.charge(report)})
	})
	if err == nil {
		c.drop(isWaived)
	}
	return err
}

// take has reports of gates that have seen the tree already stand for their judgement of the change.
func (c *checker) take(n graph.Node, reports []gate.Report) {
	for _, report := range reports {
		c.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	c.now.checked = reports
	c.drop(isWaived)
}

// drop forgets reports of gates.
func (c *checker) drop(which func(gate.Report) bool) {
	c.now.checked = slices.DeleteFunc(slices.Clone(c.now.checked), which)
}

// wide is the scope in which a gate judges the change of the module.
func (c *checker) wide(name string) gate.Scope {
	return c.gates.scope(name, gate.ReachWide, c.now.changes)
}

func (c *checker) add(n graph.Node, report gate.Report) {
	c.now.checked = append(c.now.checked, report)
	c.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
}

// fresh is what a gate says of the joined tree that it does not say of the user's. That is asked only where there is something
// to charge.
func (c *checker) fresh(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	report, err := c.gates.runGate(ctx, n, "joined", name, c.now.tree)
	if err != nil || report.Verdict != gate.Fail {
		return report, err
	}
	before, err := c.gates.runGate(ctx, n, "unjoined", name, c.run.base())
	return gate.Baseline([]gate.Report{before}, []gate.Report{report})[0], err
}

func newChecker(u *unit, gates *gates) *checker { return &checker{unit: u, gates: gates} }
