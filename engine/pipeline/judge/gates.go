// Package judge decides whether the change of an attempt is accepted: what gates report on the tree with it and without it, which tests
// must fail first and which must still pass, whether parts fit together, and which of a reviewer's issues count.
//
//	Gates ─► Checker ─► Promises   tests that must pass, and those that must not be lost
//	                 ─► Reds       tests that were seen to fail without the change
//	                 ─► Joiner     checks joined parts of a plan
//	Opinion, Issue                 a reviewer's answer, checked against the tree
//
// Invariants: no opinion passes a failing gate; failures without the change are not charged to it; a passing test is only removed with
// the user's consent, or if the change was seen to replace it. This package calls no model.
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

// Gates runs gates on trees, and keeps their reports on the folder without a change. All modules of a run share it.
type Gates struct {
	run *work.Run

	baseline []gate.Report // of the folder before the run; written by the node baseline, and again if a resumed run moves to other files
	joined   bool          // the baseline was copied from the node that measures it; see Join
	asked    bool          // the user was asked, if no suite can execute a test
}

// NewGates returns the gates of a run, without reports.
func NewGates(r *work.Run) *Gates { return &Gates{run: r} }

// RunGate runs one gate on a tree, and again if it had no result and the user wants a retry.
// stepName is the step's.
//
// The error is for a gate that had no tree, or whose report could not be stored.
func (gs *Gates) RunGate(ctx context.Context, n graph.Node, stepName, g string, tree step.State) (gate.Report, error) {
	return gs.runGateIn(ctx, n, stepName, g, tree, gate.Scope{})
}

// runGateIn is RunGate in a scope.
func (gs *Gates) runGateIn(ctx context.Context, n graph.Node, stepName, g string, tree step.State, scope gate.Scope) (gate.Report, error) {
	report, _, err := gs.runGateTimes(ctx, n, stepName, g, tree, scope)
	return report, err
}

// runGateTimes is runGateIn, and counts how often the gate was repeated.
func (gs *Gates) runGateTimes(ctx context.Context, n graph.Node, stepName, g string, tree step.State, scope gate.Scope) (report gate.Report, time int, err error) {
	for ; ; time++ {
		report, err = gs.runGateOnce(ctx, n, work.Again(stepName+"/"+g, time), step.GateCall{State: tree, Gate: g, Scope: scope})
		broken := report.Verdict == gate.Error || report.Verdict == gate.NotRun
		if err != nil || !broken || time >= gs.run.Retried(n) || ctx.Err() != nil {
			return report, time, err
		}
	}
}

// runGateOnce runs a gate. The report of an interrupted gate only has the reason of the interruption.
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

// CheckUntil runs gates in order, until last accepts a report.
func (gs *Gates) CheckUntil(ctx context.Context, n graph.Node, gates []string, run func(g string, i, of int) (gate.Report, error), last func(gate.Report) bool) (reports []gate.Report, err error) {
	for i, g := range gates {
		if ctx.Err() != nil {
			return reports, nil //nolint:nilerr // the caller checks ctx too
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

// leaveOut reports gates that are skipped because of an earlier one.
func (gs *Gates) leaveOut(n graph.Node, because string, gates []string) {
	for _, g := range gates {
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: g, Weight: gate.Advisory, Summary: "not run: " + because + " comes first (stopAtFirst)",
		}})
	}
}

// suite returns the suite of that name; nil if a gate is not a suite.
func (gs *Gates) suite(name string) *integrity.Suite {
	at := slices.IndexFunc(gs.run.Project.Suites, func(s integrity.Suite) bool { return s.Gate == name })
	if at < 0 {
		return nil
	}
	return &gs.run.Project.Suites[at]
}

// narrow reports whether a gate checks only what the change concerns: in a large folder, and if it had no useful result for the whole
// folder before the run.
func (gs *Gates) narrow(name string) bool { return gs.run.Project.Scoped() || gs.unfinished(name) }

// unfinished reports whether a gate started before the run without a useful result: it ran out of time or memory, or tests wrote tests.
func (gs *Gates) unfinished(name string) bool {
	rewritten := func(f gate.Finding) bool { return f.Rule == gate.RuleRewritten }
	return slices.ContainsFunc(gs.baseline, func(report gate.Report) bool {
		return report.Gate == name && (report.Verdict == gate.Error || slices.ContainsFunc(report.Findings, rewritten))
	})
}

// scope returns the part of a tree by which a gate judges a change: in a small folder everything, except for gates that the files do not concern.
func (gs *Gates) scope(name string, reach gate.Reach, changes patch.ChangeSet) gate.Scope {
	if !gs.narrow(name) {
		reach = gate.ReachAll
	}
	return gate.Scope{Changed: work.ScopePaths(changes), Reach: reach}
}

// Renew replaces a gate's report on the folder by a current one, if that is useful.
func (gs *Gates) Renew(report gate.Report) {
	at := slices.IndexFunc(gs.baseline, func(old gate.Report) bool { return old.Gate == report.Gate })
	if at >= 0 && report.Verdict != gate.Error && (report.Verdict != gate.NotRun || report.Empty) {
		gs.baseline[at] = report
	}
}
