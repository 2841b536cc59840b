package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// measureBaseline runs the gates on the tree as the person sees it, so that what failed before the run
// is known and not charged to it. A gate that cannot run ends the run before any code is paid for; one that found nothing to
// check, as the tests of a new project, does not.
func (r *run) measureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	if len(r.Project.Gates) == 0 {
		return graph.Outcome{Status: graph.Blocked, Reason: r.Project.unchecked()}
	}
	for _, name := range r.Project.Waived {
		r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: waived(name)})
	}
	var err error
	if r.baseline, err = r.check(ctx, n, r.base()); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	for _, report := range r.baseline {
		if report.Verdict == gate.Error || report.Verdict == gate.NotRun && !report.Empty {
			return graph.Outcome{Status: graph.Blocked, Reason: unable(report)}
		}
	}
	return graph.Outcome{Status: graph.Done}
}

// unchecked says why nothing checks a folder, and what a person can do.
func (p Project) unchecked() string {
	if len(p.Waived) > 0 {
		return fmt.Sprintf("nothing would check what is changed: your settings waive %s", strings.Join(p.Waived, ", "))
	}
	return fmt.Sprintf("no gate knows this folder: Forge finds projects of %s, and there is none here. A command of your own can check it: gates in your settings",
		strings.Join(p.Known, ", "))
}

// unable says that a gate cannot do its work on the folder as it is, and what a person can do.
func unable(report gate.Report) string {
	return fmt.Sprintf("%s could not check the folder as it is: %s. If you can do without it, your settings can waive it: waive: [%s]", report.Gate, report.Summary, report.Gate)
}

// waived is what is told of a gate that a person has waived. It stands among no reports that decide anything.
func waived(name string) gate.Report {
	return gate.Report{Gate: name, Verdict: gate.NotRun, Empty: true, Summary: "waived in your settings"}
}

// check runs all gates on a tree, in order, and tells of each.
func (r *run) check(ctx context.Context, n graph.Node, tree step.State) ([]gate.Report, error) {
	return r.checkUntil(ctx, n, tree, func(gate.Report) bool { return false })
}

// checkChange is check of what the module has made. Where the person wants that it ends at the first gate that says something new
// against it: those after it cost more, and would be run again anyway.
func (m *module) checkChange(ctx context.Context, n graph.Node) ([]gate.Report, error) {
	return m.checkUntil(ctx, n, m.tree, func(report gate.Report) bool {
		failed := report.Verdict == gate.Fail || report.Verdict == gate.Error
		return m.AtFirst && failed && !gate.Open(gate.Baseline([]gate.Report{m.before(report.Gate)}, []gate.Report{report}))
	})
}

// checkUntil runs gates on a tree, in order, and tells of each, until one is the last.
func (r *run) checkUntil(ctx context.Context, n graph.Node, tree step.State, last func(gate.Report) bool) (reports []gate.Report, err error) {
	gates := r.Project.Gates
	for i, g := range gates {
		if ctx.Err() != nil {
			return reports, nil //nolint:nilerr // whoever asked looks at ctx, too
		}
		r.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i + 1, Of: len(gates)})
		report, err := r.runGate(ctx, n, "gate", g, tree)
		reports = append(reports, report)
		r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
		if err != nil {
			return reports, err
		}
		if last(report) {
			r.leaveOut(n, g, gates[i+1:])
			break
		}
	}
	return reports, nil
}

// leaveOut tells of gates that are not run because of one before them.
func (r *run) leaveOut(n graph.Node, because string, gates []string) {
	for _, g := range gates {
		r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: g, Verdict: gate.NotRun, Empty: true, Summary: "not run: " + because + " comes first (stopAtFirst)",
		}})
	}
}
