package judge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// before returns a gate's report on the tree without the change, in the scope of the change; an empty report if the gate did not run.
func (c *Checker) before(name string) gate.Report {
	if report, known := c.knownBefore(name); known {
		return report
	}
	return gate.Report{Gate: name}
}

func (c *Checker) knownBefore(name string) (gate.Report, bool) {
	is := func(report gate.Report) bool { return report.Gate == name }
	if at := slices.IndexFunc(c.based, is); at >= 0 {
		return c.based[at], true
	}
	if at := slices.IndexFunc(c.gates.baseline, is); at >= 0 && !c.gates.unfinished(name) { // in the scope of the change it may finish
		return c.gates.baseline[at], true
	}
	return gate.Report{}, false
}

// compare runs a gate on the tree without the change if the baseline lacks it: always for a gate that runs tests, none of which may
// get lost, otherwise only if the gate does not pass.
func (c *Checker) compare(ctx context.Context, n graph.Node, after gate.Report) error {
	c.based = slices.DeleteFunc(slices.Clone(c.based), func(report gate.Report) bool { return report.Gate == after.Gate })
	if _, known := c.knownBefore(after.Gate); known || after.Unconcerned || c.gates.suite(after.Gate) == nil && !c.differs(after) {
		if !known && after.Missing != "" {
			c.based = append(c.based, after)
		}
		return nil
	}
	report, err := c.runBefore(ctx, n, after)
	c.based = append(c.based, report)
	return err
}

// differs reports whether the gate may find more with the change than without it. A program that is not installed is missing in both.
func (c *Checker) differs(after gate.Report) bool {
	return !after.Unconcerned && after.Verdict != gate.Pass && after.Missing == ""
}

// runBefore runs a gate on the tree without the change. A suite that distinguishes changed code from its users runs only the tests of
// the changed code, and those that fail: the change did not write the others, so those that pass also passed before.
func (c *Checker) runBefore(ctx context.Context, n graph.Node, after gate.Report) (gate.Report, error) {
	failing := gate.TestsOf(after.Findings)
	if c.gates.suite(after.Gate) == nil || slices.Contains(failing, "") || len(after.PassedBeyond) == 0 && after.Unreached == 0 {
		return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.Folder(), c.wide(after.Gate))
	}
	before, err := c.gates.runGateIn(ctx, n, stepNearBefore, after.Gate, c.Folder(), c.gates.scope(after.Gate, gate.ReachNear, c.Now.Changes))
	if err != nil || before.Verdict == gate.Error {
		return before, err
	}
	failing = slices.DeleteFunc(failing, func(test string) bool {
		return slices.ContainsFunc(before.Findings, func(f gate.Finding) bool { return f.Test == test })
	})
	if len(failing) > 0 {
		scope := gate.Scope{Changed: work.ScopePaths(c.Now.Changes), Reach: gate.ReachNear, Only: failing, Files: true}
		also, err := c.gates.runGateIn(ctx, n, "gate before, what fails", after.Gate, c.Folder(), scope)
		if err != nil {
			return also, err
		}
		if also.Verdict == gate.Error {
			return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.Folder(), c.wide(after.Gate))
		}
		before = withMore(before, also)
	}
	before.Executed += len(after.PassedBeyond)
	before.PassedTests = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before.PassedTests, after.PassedBeyond))))
	return before, nil
}

// stepNearBefore names the step in which a suite runs without the change, near it.
const stepNearBefore = "gate before, near"

// withMore merges the report of some tests with the report of more tests.
func withMore(some, more gate.Report) gate.Report {
	for _, f := range more.Findings {
		if !slices.Contains(some.Findings, f) {
			some.Findings = append(slices.Clip(some.Findings), f)
		}
	}
	some.PassedTests = slices.Concat(some.PassedTests, more.PassedTests)
	if more.Verdict == gate.Fail || some.Verdict == gate.NotRun {
		some.Verdict, some.Empty = more.Verdict, more.Empty
	}
	return some
}

// beforeTests returns a suite's report on the tree without the new tests: of all tests, or of those near the new ones.
func (c *Checker) beforeTests(ctx context.Context, n graph.Node, suite string, near gate.Scope) (gate.Report, error) {
	if report, known := c.knownBefore(suite); known && !c.gates.narrow(suite) {
		return report, nil
	}
	return c.gates.runGateIn(ctx, n, "before red", suite, step.State{Base: c.Folder().Base, Changes: c.Start.Tree.Changes}, near)
}

// remeasure runs a gate again on the tree without the change if its report comes from an earlier run, or only listed some tests, and the
// change would be charged for the difference: the environment of the folder may have changed since, and a listed test may fail without the change.
func (c *Checker) remeasure(ctx context.Context, n graph.Node, report gate.Report) error {
	before, known := c.knownBefore(report.Gate)
	if !known || before.Checked.IsZero() && len(before.Listed) == 0 || gate.Open([]gate.Report{c.charge(report)}) {
		return nil
	}
	_, err := c.measuredNow(ctx, n, report.Gate, report)
	return err
}

// measuredNow runs a gate on the tree without the change, ignores the report of an earlier run, and keeps the new one for the comparison.
// after is the report on the change: how many tests that only use the change a suite completes depends on time.
func (c *Checker) measuredNow(ctx context.Context, n graph.Node, name string, after gate.Report) (gate.Report, error) {
	call := step.GateCall{State: c.Folder(), Gate: name, Fresh: true}
	if c.gates.narrow(name) {
		call.Scope = c.wide(name)
	}
	call.Scope.Uncached = true
	report, err := c.gates.runGateOnce(ctx, n, "gate before, again/"+name, call)
	if len(report.PassedBeyond) > 0 {
		report.PassedTests = slices.Sorted(slices.Values(slices.Concat(integrity.Beyond(report.PassedTests, report.PassedBeyond), after.PassedBeyond)))
	}
	if err == nil && ctx.Err() == nil {
		c.based = append(slices.DeleteFunc(slices.Clone(c.based), func(r gate.Report) bool { return r.Gate == name }), report)
	}
	return report, err
}

// excused reports whether a test fails now that passed in an earlier run, or that was only listed: it is not new, and may fail without the change.
func excused(before, now gate.Report) bool {
	known := before.Listed
	if !before.Checked.IsZero() {
		known = before.PassedTests
	}
	return slices.ContainsFunc(now.Findings, func(f gate.Finding) bool { return slices.Contains(known, f.Test) })
}

// measure runs a gate on the tree as the user sees it. Examples of documentation, each of which may be a program to compile, are only listed:
// whether one fails matters only if it fails with the change (remeasure), or if the task is about one.
func (gs *Gates) measure(ctx context.Context, n graph.Node, g string) (gate.Report, error) {
	call := gs.measuring(g)
	return gs.runGateIn(ctx, n, "gate", g, call.State, call.Scope)
}

func (gs *Gates) measuring(g string) step.GateCall {
	return step.GateCall{State: gs.run.Folder(), Gate: g, Scope: gate.Scope{List: !gs.run.Task.MayBeAboutExamples()}}
}

// Announce has the gates of the baseline begin while the run waits for a model: MeasureBaseline is going to need them.
func (gs *Gates) Announce() {
	if gs.run.Project.Unmeasured() != "" {
		return
	}
	var calls []step.GateCall
	for _, g := range gs.run.First() {
		calls = append(calls, gs.measuring(g))
	}
	gs.run.MayMeasure(calls)
}

// MeasureBaseline runs the gates on the user's tree, so that no change is charged with known failures; some gates run only when they
// fail with a change (compare). A gate that cannot run does not end the run: what it would have checked is reported as not checked.
func (gs *Gates) MeasureBaseline(ctx context.Context, n graph.Node) graph.Outcome {
	for _, name := range gs.run.Project.Waived {
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: waived(name)})
	}
	if why := gs.run.Project.Unmeasured(); why != "" {
		return graph.Outcome{Status: graph.Done, Reason: why}
	}
	run := func(g string, i, of int) (gate.Report, error) {
		if slices.Contains(gs.run.Absent, g) {
			return gs.measure(ctx, n, g)
		}
		gs.run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i, Of: of})
		report, err := gs.measure(ctx, n, g)
		gs.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
		return report, err
	}
	baseline, err := gs.CheckUntil(ctx, n, gs.run.First(), run, func(gate.Report) bool { return false })
	if err = cmp.Or(err, context.Cause(ctx)); err != nil { // a gate that was stopped with the run has a report, too
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	gs.baseline = baseline
	gs.run.MayCompare()
	return graph.Outcome{Status: graph.Done, Reason: cmp.Or(gs.run.Project.Unchecked(), gs.narrowed())}
}

// narrowed names the gates that check only what the change concerns, because they did not finish on the whole folder; "" if all finished.
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
	return strings.Join(names, ", ") + " did not finish on the whole folder: from now on the run checks only what the change concerns"
}

// waived is the report of a gate that the user has disabled.
func waived(name string) gate.Report {
	return gate.Report{Gate: name, Weight: gate.Advisory, Summary: work.Waived}
}

// untestable returns why no suite can execute a test; empty if one can, if there are no tests, and if a suite may be able to in a smaller
// scope.
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

// charge returns the findings of a report that the change is responsible for: all of them if the gate did not run before, none if
// nothing in the change concerns the gate.
func (c *Checker) charge(report gate.Report) gate.Report {
	if _, known := c.knownBefore(report.Gate); !known && !report.Unconcerned {
		return report
	}
	return gate.Baseline([]gate.Report{c.expected(report.Gate)}, []gate.Report{report})[0]
}

// Charged returns the charged reports on the last attempt.
func (c *Checker) Charged() []gate.Report {
	all := make([]gate.Report, len(c.Now.Checked))
	for i, report := range c.Now.Checked {
		all[i] = c.charge(report)
	}
	return all
}

// expected returns a gate's report before the change, without the tests that the change removes: KeepExistingTests decides about those.
func (c *Checker) expected(name string) gate.Report {
	before := c.before(name)
	if c.gates.suite(name) == nil {
		return before
	}
	return c.Run.Project.Suites.Rewritten(c.Now.Changes).Expected(before)
}

// confirm runs newly failing tests of a suite again, alone, on the same tree: tests that pass now are flaky, and are not charged. It
// does not if a second run cannot change the result: if code does not compile, or a test that was seen red is still red. Any gate that
// ended without a result, for example at its time limit while others ran beside it, runs once more before the change is charged with that.
func (c *Checker) confirm(ctx context.Context, n graph.Node, report gate.Report, tree step.State) (gate.Report, error) {
	charged := c.charge(report)
	if gate.Open([]gate.Report{charged}) || charged.Verdict == gate.NotRun || c.gates.suite(report.Gate) == nil && charged.Verdict != gate.Error {
		return report, nil
	}
	red, _ := c.Tests.AllRed().Of(report.Gate)
	var failed []string
	findings := charged.Findings
	if charged.Verdict == gate.Error {
		findings = nil // they are not the reason
	}
	for _, f := range findings {
		if f.Test == "" && f.Rule != gate.RuleMissing || slices.Contains(red, f.Test) {
			return report, nil
		}
		failed = append(failed, f.Test)
	}
	if report.Verdict != gate.Fail {
		failed = nil
	}
	return c.runAlone(ctx, n, "gate again", report, failed, tree)
}

// runAlone runs a gate a second time: a suite with the failed tests only, with their file if they cannot run alone, and whole if a test
// has no name.
func (c *Checker) runAlone(ctx context.Context, n graph.Node, stepName string, report gate.Report, failed []string, tree step.State) (gate.Report, error) {
	if slices.Contains(failed, "") {
		failed = nil
	}
	for i, scope := range gate.Alone(c.wide(report.Gate), failed) {
		second, err := c.gates.runGateIn(ctx, n, work.Again(stepName, i), report.Gate, tree, scope)
		if err != nil {
			return report, err
		}
		if gate.Conclusive(second, failed) {
			return gate.Confirm(report, second), nil
		}
	}
	return report, nil
}
