package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// Checker judges the change of the current attempt by gates: it takes the tree and the change, and keeps the reports on both sides.
type Checker struct {
	*work.Module
	gates *Gates

	based []gate.Report // reports on the tree without the change, in its scope, that the baseline lacks
	last  judged
}

// NewChecker returns a checker of a module with the gates of its run.
func NewChecker(u *work.Module, gates *Gates) *Checker { return &Checker{Module: u, gates: gates} }

// CheckChange runs the gates on the module's change. It emits the findings that the change is charged with, and keeps the full reports
// in checked. With stopAtFirst, it stops at the first gate that charges the change.
func (c *Checker) CheckChange(ctx context.Context, n graph.Node) error {
	started := func(g string, i, of int) {
		c.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
	}
	if c.foresees() && !c.repeats() {
		for i, g := range c.Run.Project.Gates {
			started(g, i+1, len(c.Run.Project.Gates))
		}
		c.foresee(ctx, n)
		started = func(string, int, int) {}
	}
	return c.check(ctx, n, started)
}

// check is CheckChange; started reports that a gate has started.
func (c *Checker) check(ctx context.Context, n graph.Node, started func(g string, i, of int)) (err error) {
	run := func(g string, i, of int) (gate.Report, error) {
		started(g, i, of)
		report, holds, err := c.heldAgainst(ctx, n, g)
		if holds || err != nil {
			c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: c.charge(asBefore(report, c.last.attempt))})
			return report, err
		}
		report, err = c.measure(ctx, n, g)
		c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: c.charge(report)})
		return report, err
	}
	c.Now.Checked, err = c.gates.CheckUntil(ctx, n, c.Run.Project.Gates, run, func(report gate.Report) bool {
		return c.Run.AtFirst && !gate.Open([]gate.Report{c.charge(report)})
	})
	if err == nil {
		c.drop(work.IsWaived)
		c.note()
	}
	return err
}

// measure runs a gate on the change, and what it is compared with: without the change if that is not known, and again
// tests that fail newly, and a gate without a result.
func (c *Checker) measure(ctx context.Context, n graph.Node, g string) (gate.Report, error) {
	report, err := c.gates.runGateIn(ctx, n, c.stepOf(g), g, c.Now.Tree, c.wide(g))
	if err == nil && ctx.Err() == nil {
		err = c.compare(ctx, n, report)
	}
	if err == nil && ctx.Err() == nil {
		err = c.remeasure(ctx, n, report)
	}
	if err == nil && ctx.Err() == nil {
		report, err = c.confirm(ctx, n, report, c.Now.Tree)
	}
	return report, err
}

// stepOf names the step in which a gate judges the change.
func (c *Checker) stepOf(g string) string {
	if c.gates.unfinished(g) {
		return "gate in part" // the whole may have run while the baseline was measured
	}
	return "gate"
}

// Take uses reports of gates that have run on this tree already as their reports on the change.
func (c *Checker) Take(n graph.Node, reports []gate.Report) {
	for _, report := range reports {
		c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	c.Now.Checked = reports
	c.drop(work.IsWaived)
}

// drop removes reports of gates.
func (c *Checker) drop(which func(gate.Report) bool) {
	c.Now.Checked = slices.DeleteFunc(slices.Clone(c.Now.Checked), which)
}

// wide returns the scope in which a gate judges the change of the module.
func (c *Checker) wide(name string) gate.Scope {
	return c.gates.scope(name, gate.ReachWide, c.Now.Changes)
}

func (c *Checker) add(n graph.Node, report gate.Report) {
	c.Now.Checked = append(c.Now.Checked, report)
	c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
}

// fresh returns the findings of a gate on the joined tree that the user's tree does not have. It runs only if there is something to
// charge.
func (c *Checker) fresh(ctx context.Context, n graph.Node, name string) (gate.Report, error) {
	report, err := c.gates.RunGate(ctx, n, "joined", name, c.Now.Tree)
	if err != nil || report.Verdict != gate.Fail {
		return report, err
	}
	before, err := c.gates.RunGate(ctx, n, "unjoined", name, c.Folder())
	return gate.Baseline([]gate.Report{before}, []gate.Report{report})[0], err
}

// Verified returns the outcome of a change without objections: it is accepted if a deciding gate has passed, or if it changes only
// documents, which no gate judges. Otherwise the user decides, because no deciding gate has checked it.
func (c *Checker) Verified(ctx context.Context, n graph.Node, reports []gate.Report, done graph.Outcome) graph.Outcome {
	if !c.Job.Whole() || gate.Verified(reports) && c.testsRan(reports) {
		return done
	}
	code, err := step.ActivityCode.Call(ctx, c.Run.Flow, work.At(n), "code", step.CodeCall{Before: c.Folder(), After: c.Now.Tree, Paths: work.ChangedPaths(c.Now.Changes)})
	switch {
	case err != nil:
		return work.Failed("compare the code", err)
	case len(code) == 0: // documents and comments
		return done
	case c.Job.Recipe() == mode.Document:
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("nothing checks the changes in %s, which is or may be code", strings.Join(code, ", "))}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: c.notVerified(reports)}
}

// notVerified returns why no deciding gate has passed the change.
func (c *Checker) notVerified(reports []gate.Report) string {
	said := strings.TrimSpace(work.Describe(reports))
	switch why := c.Run.Project.Unchecked(); {
	case why != "":
		return why
	case gate.Verified(reports):
		return "no test was executed, and there are some: " + said
	case said != "":
		return "no check that decides could run: " + said
	}
	return fmt.Sprintf("nothing checks this change: it does not concern %s", strings.Join(c.Run.Project.Gates, ", "))
}

// testsRan reports whether a test that the change concerns was executed and passed, or none exists: compiling proves little if tests
// could run and do not.
func (c *Checker) testsRan(reports []gate.Report) bool {
	there := false
	for _, report := range reports {
		if c.gates.suite(report.Gate) == nil || report.Unconcerned || report.Verdict == gate.NotRun && report.Empty {
			continue
		}
		if report.Decides() && report.Verdict == gate.Pass && report.Passed > 0 {
			return true
		}
		there = true
	}
	return !there
}

// CheckWhole runs all tests of suites of which only a part ran, if the user requests that before there is a proposal and no gate
// objects to the change so far. Findings go back to the executor, like any other failure.
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

// whole replaces the report of a part of a suite by the report of all of it. If not all of it can run, the report of the part is kept
// with a notice for the user.
func (c *Checker) whole(ctx context.Context, n graph.Node, part gate.Report) (gate.Report, error) {
	times := 0
	all, err := gate.Whole(func(with bool, scope gate.Scope) (gate.Report, error) {
		tree := c.Now.Tree
		if !with {
			tree = step.State{Base: tree.Base}
		}
		times++
		call := step.GateCall{State: tree, Gate: part.Gate, Scope: scope, Fresh: true} // kept reports charge nothing
		return c.gates.runGateOnce(ctx, n, fmt.Sprintf("whole %d/%s", times, part.Gate), call)
	})
	if err == nil && ctx.Err() == nil && (all.Verdict == gate.Error || all.Verdict == gate.NotRun) {
		part.Notice = fmt.Sprintf("%s: only a part of the tests was run: %s", part.Gate, all.Summary)
		return part, nil
	}
	return all, err
}

// Partly reports whether a suite ran only a part of its tests, and may be able to finish all of them.
func (gs *Gates) Partly(report gate.Report) bool {
	return report.Part && gs.suite(report.Gate) != nil && !gs.unfinished(report.Gate)
}

const gateCode = "code"

// OnlyDocuments fails the gate "code", and the attempt, if a change that is documentation has changed code: calling it so must not avoid tests. In a part of
// a plan, to which a planner gave that type, what may be code counts as code; in a task that is documentation, only what certainly is code:
// a page of documentation may need an entry in a list of pages.
func (c *Checker) OnlyDocuments(ctx context.Context, n graph.Node) step.Outcome {
	if c.Job.Recipe() != mode.Document || c.Job.Joins {
		return step.Outcome{}
	}
	planned := c.Job.Part != nil && c.Run.Task.Recipe != mode.Document
	paths := work.Union(nil, work.ChangedPaths(work.Since(c.Now.Tree, len(c.Start.Tree.Changes))))
	changed, err := step.ActivityCode.Call(ctx, c.Run.Flow, work.At(n), "code", step.CodeCall{Before: c.Start.Tree, After: c.Now.Tree, Paths: paths, Certain: !planned})
	if err != nil {
		return work.Unable(ctx, err)
	}
	what, is, instead := "the task is documentation", "code", `say in "blocked" which code must change, and why`
	if planned {
		what, is, instead = "the part is of the type document", "code, or may be code", `say in "blocked" what must be changed there by a part with tests`
	}
	report := gate.Report{
		Gate: gateCode, Verdict: gate.Pass, Executed: len(paths), Passed: len(paths) - len(changed), Summary: "documents and comments have changed, and no code",
	}
	for _, path := range changed {
		report.Findings = append(report.Findings, gate.Finding{Path: path, Line: 1, Severity: gate.SeverityError, Rule: gateCode, Message: what + ", and this is " + is})
	}
	if len(changed) > 0 {
		report.Verdict = gate.Fail
		report.Summary = fmt.Sprintf("%s, and what it changes in %s is %s", what, strings.Join(changed, ", "), is)
	}
	c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	if report.Verdict == gate.Pass {
		return step.Outcome{}
	}
	return step.Outcome{Signal: step.Retryable, Reason: report.Summary + ": change documents and comments only, or " + instead}
}
