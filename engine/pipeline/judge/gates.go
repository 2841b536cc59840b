// Package judge says whether the change of an attempt may stand: what gates say of the tree with it and without it, which tests must fail
// first and which must go on passing, whether parts hold together, and what of a reviewer's opinion counts.
//
//	Gates ─► Checker ─► Promises   tests that must pass, and those that must not be lost
//	                 ─► Reds       tests that were seen to fail without the change
//	                 ─► Joiner     what parts of a plan are together
//	Opinion, Issue                 what a reviewer answers, held against the tree
//
// Invariants: no opinion opens a gate that is shut; what fails without the change is not charged to it; a test that passed goes only by the
// word of the user, or where the change was seen to replace it. No model is asked here.
package judge

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// Gates runs gates on trees, and knows what they say of the folder without any change. All modules of a run share it.
type Gates struct {
	run *work.Run

	baseline []gate.Report // of the folder before the run; written by the node baseline, and anew where a resumed run moves to other files
	joined   bool          // the baseline was taken over from the node that measures it; see Join
	asked    bool          // the user was asked, if no suite can execute a test
}

// NewGates are the gates of a run, which have run nothing yet.
func NewGates(r *work.Run) *Gates { return &Gates{run: r} }

// RunGate runs one gate on a tree, and again where it could not say anything and the user had it tried again.
// stepName is the step's.
//
// The error is for a gate that there was no tree for, or whose report could not be kept.
func (gs *Gates) RunGate(ctx context.Context, n graph.Node, stepName, g string, tree step.State) (gate.Report, error) {
	return gs.runGateIn(ctx, n, stepName, g, tree, gate.Scope{})
}

// runGateIn is RunGate in a scope.
func (gs *Gates) runGateIn(ctx context.Context, n graph.Node, stepName, g string, tree step.State, scope gate.Scope) (gate.Report, error) {
	for time := 0; ; time++ {
		report, err := gs.runGateOnce(ctx, n, work.Again(stepName+"/"+g, time), step.GateCall{State: tree, Gate: g, Scope: scope})
		broken := report.Verdict == gate.Error || report.Verdict == gate.NotRun
		if err != nil || !broken || time >= gs.run.Retried(n) || ctx.Err() != nil {
			return report, err
		}
	}
}

// runGateOnce runs a gate. What a gate says that was stopped in the middle is of no use; why it was stopped is.
func (gs *Gates) runGateOnce(ctx context.Context, n graph.Node, stepName string, c step.GateCall) (gate.Report, error) {
	g := c.Gate
	report, err := step.ActivityGate.Call(ctx, gs.run.Flow, work.At(n), stepName, c)
	if ctx.Err() != nil {
		return gate.Report{Gate: g, Verdict: gate.Error, Summary: work.Stopped(ctx)}, nil //nolint:nilerr // it is the report
	}
	if err != nil {
		return gate.Report{Gate: g, Verdict: gate.Error, Summary: err.Error()}, fmt.Errorf("run %s: %w", g, err)
	}
	report.Weight = gs.run.Project.Weights[g]
	return report, nil
}

// CheckUntil runs gates in order, until one is the last.
func (gs *Gates) CheckUntil(ctx context.Context, n graph.Node, gates []string, run func(g string, i, of int) (gate.Report, error), last func(gate.Report) bool) (reports []gate.Report, err error) {
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

// leaveOut reports gates that are not run because of one before them.
func (gs *Gates) leaveOut(n graph.Node, because string, gates []string) {
	for _, g := range gates {
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: g, Weight: gate.Advisory, Summary: "not run: " + because + " comes first (stopAtFirst)",
		}})
	}
}

// suite is the tests of that name; nil where a gate is none.
func (gs *Gates) suite(name string) *integrity.Suite {
	at := slices.IndexFunc(gs.run.Project.Suites, func(s integrity.Suite) bool { return s.Gate == name })
	if at < 0 {
		return nil
	}
	return &gs.run.Project.Suites[at]
}

// narrow reports whether a gate looks at what the change concerns only: in a large folder, and where the gate said nothing of use about the
// whole of it before the run.
func (gs *Gates) narrow(name string) bool { return gs.run.Project.Scoped() || gs.unfinished(name) }

// unfinished reports whether a gate could start before the run, and said nothing of use: it ran out of time or memory, or tests wrote tests.
func (gs *Gates) unfinished(name string) bool {
	rewritten := func(f gate.Finding) bool { return f.Rule == gate.RuleRewritten }
	return slices.ContainsFunc(gs.baseline, func(report gate.Report) bool {
		return report.Gate == name && (report.Verdict == gate.Error || slices.ContainsFunc(report.Findings, rewritten))
	})
}

// scope is what of a tree a gate judges a change by: of a small folder everything but gates that the files do not concern.
func (gs *Gates) scope(name string, reach gate.Reach, changes patch.ChangeSet) gate.Scope {
	if !gs.narrow(name) {
		reach = gate.ReachAll
	}
	return gate.Scope{Changed: work.ScopePaths(changes), Reach: reach}
}

// Renew puts what a gate says of the folder as it is now in the place of what it said before, where it says something of use.
func (gs *Gates) Renew(report gate.Report) {
	at := slices.IndexFunc(gs.baseline, func(old gate.Report) bool { return old.Gate == report.Gate })
	if at >= 0 && report.Verdict != gate.Error && (report.Verdict != gate.NotRun || report.Empty) {
		gs.baseline[at] = report
	}
}
