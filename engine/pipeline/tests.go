package pipeline

import (
	"context"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/step"
)

// reds sees tests fail without what they are for. What was seen is kept in tested.
type reds struct {
	run     *run
	gates   *gates
	job     *job
	begin   *beginning
	now     *attempt
	tested  *tested
	checker *checker
}

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (x *executor) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if x.tested.tests != nil && !x.tested.faultyTests {
		x.now.add(*x.tested.tests)
		return step.Outcome{}
	}
	x.tested.restart()
	p := x.phase(n, nameTests, mode.TestsFirst)
	p.instructions, p.guard, p.demands = testsInstructions, x.promises.rules().OnlyTests, !x.promises.failing()
	if x.promises.failing() {
		p.instructions += testsThereInstructions
	}
	p.log = x.tested.disownedTests()
	if o := p.once(ctx); o.Signal != step.Success {
		return o
	}
	if o := x.now.format(ctx, n, "tests", since(x.now.tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := x.now.write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	x.tested.excuse = p.told
	tests = x.now.withMatches(tests.Since(x.begin.given)) // what earlier parts have made is no test of this one
	for _, s := range x.run.Project.Suites.In(tests) {
		if o := x.reds.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	x.tested.keep(tests)
	return step.Outcome{}
}

// failing reports whether the folder has a test that failed before the run.
func (ps *promises) failing() bool {
	return slices.ContainsFunc(ps.run.Project.Suites, func(s integrity.Suite) bool { return len(integrity.Failing(ps.checker.before(s.Gate).Findings)) > 0 })
}

// seeRed runs the tests of a suite and demands that they fail.
func (r *reds) seeRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	seen, err := r.seeNamed(ctx, n, s)
	switch {
	case err != nil || ctx.Err() != nil:
		return r.run.unable(ctx, err)
	case seen:
		return step.Outcome{}
	}
	return r.seeNearRed(ctx, n, s)
}

// seeNearRed runs the tests of a suite that are near to those that were written, or all.
func (r *reds) seeNearRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	near := r.gates.scope(s.Gate, gate.ReachNear, since(r.now.tree, 0))
	before, err := r.checker.beforeTests(ctx, n, s.Gate, near)
	if err != nil {
		return r.run.unable(ctx, err)
	}
	if before.Verdict == gate.Error || before.Verdict == gate.NotRun && !before.Empty {
		r.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: "red", Weight: gate.Advisory, Summary: digest("the new tests were not seen to fail: "+s.Gate+" could not run before the change: "+before.Summary, 200),
		}})
		r.tested.unseen = true
		return step.Outcome{}
	}
	r.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	report, err := r.runNew(ctx, n, s, before, near)
	if err == nil && excused(before, report) {
		before, err = r.checker.measuredNow(ctx, n, s.Gate)
	}
	red, why := s.Red(before, report)
	verdict := redReport(report)
	switch {
	case ctx.Err() != nil || err != nil:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Error, 0, report.Summary
	case !red:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Fail, 0, why
	}
	r.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case !red:
		return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	r.tested.sawRed(redOf(s.Gate, before, report))
	return step.Outcome{}
}

// seeNamed runs the tests of a long suite, or of a large folder, that were written or stated anew, and no others: where they fail, as they must, that is
// all that is to be seen. It is not seen where they cannot be told apart, or do not fail.
func (r *reds) seeNamed(ctx context.Context, n graph.Node, s integrity.Suite) (seen bool, err error) {
	before, known := r.checker.knownBefore(s.Gate)
	scope := namedTests(s, since(r.now.tree, 0))
	if len(scope.Named) == 0 || !r.gates.narrow(s.Gate) && (!known || before.Verdict == gate.Error || before.Elapsed < longSuite) {
		return false, nil
	}
	if r.gates.narrow(s.Gate) || !before.Checked.IsZero() {
		if before, err = r.gates.runGateIn(ctx, n, "before red by name", s.Gate, step.State{Base: r.run.Base, Changes: r.begin.start.Changes}, scope); err != nil {
			return false, err
		}
	}
	report, err := r.gates.runGateIn(ctx, n, "red by name", s.Gate, r.now.tree, scope)
	if red, _ := s.Red(before, report); err != nil || !red || ctx.Err() != nil {
		return false, err
	}
	r.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	r.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: redReport(report)})
	red := redOf(s.Gate, before, report)
	red.Part = true
	r.tested.sawRed(red)
	return true, nil
}

// redReport says of a report of tests that they were seen to fail.
func redReport(report gate.Report) gate.Report {
	return gate.Report{Gate: "red", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "the new tests fail, as they must before there is an implementation",
		Output: report.Output, Command: report.Command, Elapsed: report.Elapsed}
}

// longSuite is from when on a suite is long, so that the tests that were written are run before all others.
const longSuite = 3 * time.Second

// runNew runs the tests that were written: of a long suite those that are near to them, and all where none of these fails.
func (r *reds) runNew(ctx context.Context, n graph.Node, s integrity.Suite, before gate.Report, near gate.Scope) (gate.Report, error) {
	if near.Reach == gate.ReachAll && before.Elapsed >= longSuite {
		first := gate.Scope{Changed: near.Changed, Reach: gate.ReachNear}
		report, err := r.gates.runGateIn(ctx, n, "red near", s.Gate, r.now.tree, first)
		if red, _ := s.Red(before, report); err != nil || red || ctx.Err() != nil {
			return report, err
		}
	}
	return r.gates.runGateIn(ctx, n, "red", s.Gate, r.now.tree, near)
}

// redOf is what was seen of a suite: which tests fail that did not before, and whether some did not compile.
func redOf(name string, before, after gate.Report) integrity.Red {
	fresh := gate.Fresh(before, after)
	return integrity.Red{Gate: name, Tests: integrity.Failing(fresh), Broken: len(unnamed(fresh)) > 0, Faults: fresh}
}

// The most that is told of tests that fail before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 400
