package pipeline

import (
	"context"
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// measureBaseline runs the gates on the tree as the person sees it, so that what failed before the run
// is known and not charged to it. A gate that cannot run ends the run before any code is paid for.
func (r *run) measureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	if len(r.Project.Gates) == 0 {
		return graph.Outcome{Status: graph.Blocked, Reason: "no gate knows this folder: Forge checks Go modules so far, and found no go.mod in it"}
	}
	var err error
	if r.baseline, err = r.check(ctx, n, r.base()); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	for _, report := range r.baseline {
		if report.Verdict == gate.Error || report.Verdict == gate.NotRun && !report.Empty {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s could not check the folder as it is: %s", report.Gate, report.Summary)}
		}
	}
	return graph.Outcome{Status: graph.Done}
}

// check runs all gates on a tree, in order, and tells of each.
func (r *run) check(ctx context.Context, n graph.Node, tree step.State) (reports []gate.Report, err error) {
	for i, g := range r.Project.Gates {
		if ctx.Err() != nil {
			return reports, nil //nolint:nilerr // whoever asked looks at ctx, too
		}
		r.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i + 1, Of: len(r.Project.Gates)})
		report, err := r.runGate(ctx, n, "gate", g, tree)
		reports = append(reports, report)
		r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
		if err != nil {
			return reports, err
		}
	}
	return reports, nil
}
