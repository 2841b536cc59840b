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

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (m *module) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if m.tested.tests != nil && !m.tested.faultyTests {
		m.now.tree = m.now.with(*m.tested.tests)
		return step.Outcome{}
	}
	m.tested.faultyTests, m.tested.red, m.tested.unseen = false, nil, false
	p := m.phase(n, nameTests, mode.TestsFirst)
	p.instructions, p.guard, p.demands = testsInstructions, m.rules().OnlyTests, !m.failing()
	if m.failing() {
		p.instructions += testsThereInstructions
	}
	p.log = m.tested.disownedTests()
	if o := p.once(ctx); o.Signal != step.Success {
		return o
	}
	if o := m.now.format(ctx, n, "tests", since(m.now.tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := m.now.write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	m.tested.excuse = p.told
	tests = m.now.withMatches(tests.Since(m.begin.given)) // what earlier parts have made is no test of this one
	for _, s := range m.run.Project.Suites.In(tests) {
		if o := m.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	m.tested.tests = &tests
	return step.Outcome{}
}

// failing reports whether the folder has a test that failed before the run.
func (m *module) failing() bool {
	return slices.ContainsFunc(m.run.Project.Suites, func(s integrity.Suite) bool { return len(integrity.Failing(m.before(s.Gate).Findings)) > 0 })
}

// seeRed runs the tests of a suite and demands that they fail.
func (m *module) seeRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	seen, err := m.seeNamed(ctx, n, s)
	switch {
	case err != nil || ctx.Err() != nil:
		return m.run.unable(ctx, err)
	case seen:
		return step.Outcome{}
	}
	return m.seeNearRed(ctx, n, s)
}

// seeNearRed runs the tests of a suite that are near to those that were written, or all.
func (m *module) seeNearRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	near := m.run.scope(s.Gate, gate.ReachNear, since(m.now.tree, 0))
	before, err := m.beforeTests(ctx, n, s.Gate, near)
	if err != nil {
		return m.run.unable(ctx, err)
	}
	if before.Verdict == gate.Error || before.Verdict == gate.NotRun && !before.Empty {
		m.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: "red", Weight: gate.Advisory, Summary: digest("the new tests were not seen to fail: "+s.Gate+" could not run before the change: "+before.Summary, 200),
		}})
		m.tested.unseen = true
		return step.Outcome{}
	}
	m.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	report, err := m.runNew(ctx, n, s, before, near)
	if err == nil && excused(before, report) {
		before, err = m.measuredNow(ctx, n, s.Gate)
	}
	red, why := s.Red(before, report)
	verdict := redReport(report)
	switch {
	case ctx.Err() != nil || err != nil:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Error, 0, report.Summary
	case !red:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Fail, 0, why
	}
	m.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case !red:
		return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	m.tested.red = append(m.tested.red, redOf(s.Gate, before, report))
	return step.Outcome{}
}

// seeNamed runs the tests of a long suite, or of a large folder, that were written or stated anew, and no others: where they fail, as they must, that is
// all that is to be seen. It is not seen where they cannot be told apart, or do not fail.
func (m *module) seeNamed(ctx context.Context, n graph.Node, s integrity.Suite) (seen bool, err error) {
	before, known := m.knownBefore(s.Gate)
	scope := namedTests(s, since(m.now.tree, 0))
	if len(scope.Named) == 0 || !m.run.narrow(s.Gate) && (!known || before.Verdict == gate.Error || before.Elapsed < longSuite) {
		return false, nil
	}
	if m.run.narrow(s.Gate) || !before.Checked.IsZero() {
		if before, err = m.run.runGateIn(ctx, n, "before red by name", s.Gate, step.State{Base: m.run.Base, Changes: m.begin.start.Changes}, scope); err != nil {
			return false, err
		}
	}
	report, err := m.run.runGateIn(ctx, n, "red by name", s.Gate, m.now.tree, scope)
	if red, _ := s.Red(before, report); err != nil || !red || ctx.Err() != nil {
		return false, err
	}
	m.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	m.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: redReport(report)})
	red := redOf(s.Gate, before, report)
	red.Part = true
	m.tested.red = append(m.tested.red, red)
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
func (m *module) runNew(ctx context.Context, n graph.Node, s integrity.Suite, before gate.Report, near gate.Scope) (gate.Report, error) {
	if near.Reach == gate.ReachAll && before.Elapsed >= longSuite {
		first := gate.Scope{Changed: near.Changed, Reach: gate.ReachNear}
		report, err := m.run.runGateIn(ctx, n, "red near", s.Gate, m.now.tree, first)
		if red, _ := s.Red(before, report); err != nil || red || ctx.Err() != nil {
			return report, err
		}
	}
	return m.run.runGateIn(ctx, n, "red", s.Gate, m.now.tree, near)
}

// redOf is what was seen of a suite: which tests fail that did not before, and whether some did not compile.
func redOf(name string, before, after gate.Report) integrity.Red {
	fresh := gate.Fresh(before, after)
	return integrity.Red{Gate: name, Tests: integrity.Failing(fresh), Broken: len(unnamed(fresh)) > 0, Faults: fresh}
}

// The most that is told of tests that fail before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 400
