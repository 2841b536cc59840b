package pipeline

import (
	"context"
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// measureBaseline runs the gates on the tree as the person sees it, so that what failed before the run
// is known and not charged to it. A gate that cannot run ends the run before any code is paid for.
func (r *run) measureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	if len(r.Project.Gates) == 0 {
		return graph.Outcome{Status: graph.Blocked, Reason: "no gate knows this folder: Forge checks Go modules so far, and found no go.mod in it"}
	}
	r.baseline = r.check(ctx, n, r.Project.Gates)
	for _, report := range r.baseline {
		if report.Verdict == gate.Error || report.Verdict == gate.NotRun && !report.Empty {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s could not check the folder as it is: %s", report.Gate, report.Summary)}
		}
	}
	return graph.Outcome{Status: graph.Done}
}

// runGate runs one gate. What a gate says that was stopped in the middle is of no use; why it was stopped is.
func (r *run) runGate(ctx context.Context, g gate.Gate) gate.Report {
	report := g.Run(ctx, r.Tree)
	if ctx.Err() != nil {
		return gate.Report{Gate: g.Name(), Verdict: gate.Error, Summary: stopped(ctx), Elapsed: report.Elapsed, Tests: report.Tests}
	}
	return report
}

// check runs gates in order and tells of each.
func (r *run) check(ctx context.Context, n graph.Node, gates []gate.Gate) []gate.Report {
	var reports []gate.Report
	for i, g := range gates {
		if ctx.Err() != nil {
			break
		}
		r.Log.Append(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g.Name(), Index: i + 1, Of: len(gates)})
		report := r.runGate(ctx, g)
		reports = append(reports, report)
		r.Log.Append(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	return reports
}
