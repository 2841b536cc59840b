package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// gates runs gates on trees, and knows what they say of the folder without any change. All modules of a run share it.
type gates struct {
	run *run

	baseline []gate.Report // of the folder before the run; written by the node baseline, and anew where a resumed run moves to other files
}

// measureBaseline runs the gates on the tree as the user sees it, so that what fails there is known and no change is charged with it; some of them
// only once they do not pass with a change (compare). A
// gate that cannot run ends nothing: what it would have checked is reported as not checked.
func (gs *gates) measureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	for _, name := range gs.run.Project.Waived {
		gs.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: waived(name)})
	}
	if why := gs.run.Project.unmeasured(); why != "" {
		return graph.Outcome{Status: graph.Done, Reason: why}
	}
	run := func(g string, i, of int) (gate.Report, error) {
		gs.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := gs.runGate(ctx, n, "gate", g, gs.run.base())
		gs.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
		return report, err
	}
	var err error
	if gs.baseline, err = gs.checkUntil(ctx, n, gs.run.Project.first(), run, func(gate.Report) bool { return false }); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	o := gs.run.whole.questions.askAboutTests(ctx, n)
	if o.Status == graph.Done {
		o.Reason = cmp.Or(gs.run.Project.unchecked(), gs.narrowed(), o.Reason)
	}
	return o
}

// first are the gates that are asked about the folder before there is a change.
func (p Project) first() []string {
	return slices.DeleteFunc(slices.Clone(p.Gates), func(g string) bool { return slices.Contains(p.Later, g) })
}

// narrowed names the gates that look at what the change concerns only, because they did not get through the whole folder; empty where all did.
func (gs *gates) narrowed() string {
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

// unchecked says that nothing checks a folder; empty where something does.
func (p Project) unchecked() string {
	switch {
	case len(p.Gates) > 0:
		return ""
	case len(p.Waived) > 0:
		return fmt.Sprintf("nothing checks this change: your settings waive %s", strings.Join(p.Waived, ", "))
	}
	return fmt.Sprintf("nothing checks this change: Forge finds projects of %s, and there is none here. Your settings can add a command that does (gates)",
		strings.Join(p.Known, ", "))
}

// waived is the report of a gate that the user has waived.
func waived(name string) gate.Report {
	return gate.Report{Gate: name, Weight: gate.Advisory, Summary: Waived}
}

// checkUntil runs gates in order, until one is the last.
func (gs *gates) checkUntil(ctx context.Context, n graph.Node, gates []string, run func(g string, i, of int) (gate.Report, error), last func(gate.Report) bool) (reports []gate.Report, err error) {
	for i, g := range gates {
		if ctx.Err() != nil {
			return reports, nil //nolint:nilerr // the caller looks at ctx, too
		}
		report, err := run(g, i+1, len(gates))
		reports = append(reports, report)
		if err != nil {
			return reports, err
		}
		if last(report) {
			gs.leaveOut(n, g, gates[i+1:])
			break
		}
	}
	return reports, nil
}

// leaveOut tells of gates that are not run because of one before them.
func (gs *gates) leaveOut(n graph.Node, because string, gates []string) {
	for _, g := range gates {
		gs.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: g, Weight: gate.Advisory, Summary: "not run: " + because + " comes first (stopAtFirst)",
		}})
	}
}

// renew puts what a gate says of the folder as it is now in the place of what it said before, where it says something of use.
func (gs *gates) renew(report gate.Report) {
	at := slices.IndexFunc(gs.baseline, func(old gate.Report) bool { return old.Gate == report.Gate })
	if at >= 0 && report.Verdict != gate.Error && (report.Verdict != gate.NotRun || report.Empty) {
		gs.baseline[at] = report
	}
}
