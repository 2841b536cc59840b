package judge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// MeasureBaseline runs the gates on the tree as the user sees it, so that what fails there is known and no change is charged with it; some of them
// only once they do not pass with a change (compare). A
// gate that cannot run ends nothing: what it would have checked is reported as not checked.
func (gs *Gates) MeasureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	for _, name := range gs.run.Project.Waived {
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: waived(name)})
	}
	if why := gs.run.Project.Unmeasured(); why != "" {
		return graph.Outcome{Status: graph.Done, Reason: why}
	}
	run := func(g string, i, of int) (gate.Report, error) {
		gs.run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := gs.RunGate(ctx, n, "gate", g, gs.run.Folder())
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
		return report, err
	}
	var err error
	if gs.baseline, err = gs.CheckUntil(ctx, n, gs.run.Project.First(), run, func(gate.Report) bool { return false }); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	return graph.Outcome{Status: graph.Done, Reason: cmp.Or(gs.run.Project.Unchecked(), gs.narrowed())}
}

// narrowed names the gates that look at what the change concerns only, because they did not get through the whole folder; empty where all did.
func (gs *Gates) narrowed() string {
	var names []string
	for _, report := range gs.baseline {
		if gs.unfinished(report.Gate) {
			names = append(names, report.Gate)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " did not get through the whole folder: from here on only what concerns the change is checked"
}

// waived is the report of a gate that the user has waived.
func waived(name string) gate.Report {
	return gate.Report{Gate: name, Weight: gate.Advisory, Summary: work.Waived}
}

// untestable says why none of the suites can execute a test; empty where one can, where there are no tests, and where it may be able to
// once it has less to do.
func (gs *Gates) untestable() string {
	if len(gs.run.Project.Suites) == 0 || gs.run.Project.TestFiles == 0 {
		return ""
	}
	var why []string
	for _, s := range gs.run.Project.Suites {
		at := slices.IndexFunc(gs.baseline, func(report gate.Report) bool { return report.Gate == s.Gate })
		if at < 0 {
			return ""
		}
		report := gs.baseline[at]
		if report.Verdict != gate.NotRun || report.Empty || report.Missing != "" || gs.narrow(s.Gate) {
			return ""
		}
		why = append(why, report.Gate+": "+report.Summary)
	}
	return strings.Join(why, "\n")
}
