package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
)

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (m *module) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if m.tests != nil && !m.faultyTests {
		m.tree = m.with(*m.tests)
		return step.Outcome{}
	}
	m.faultyTests, m.red, m.unseen = false, nil, false
	p := phase{module: m, node: n, name: nameTests, instructions: testsInstructions, profile: mode.TestsFirst, guard: m.rules().OnlyTests, demands: !m.failing()}
	if m.failing() {
		p.instructions += testsThereInstructions
	}
	p.log = m.disownedTests()
	if o := p.once(ctx); o.Signal != step.Success {
		return o
	}
	if o := m.format(ctx, n, "tests", since(m.tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := m.write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	m.excuse = p.told
	tests = m.withMatches(tests.Since(m.given)) // what earlier parts have made is no test of this one
	for _, s := range m.Project.Suites.In(tests) {
		if o := m.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	m.tests = &tests
	return step.Outcome{}
}

// failing reports whether the folder has a test that failed before the run.
func (m *module) failing() bool {
	return slices.ContainsFunc(m.Project.Suites, func(s integrity.Suite) bool { return len(integrity.Failing(m.before(s.Gate).Findings)) > 0 })
}

// seeRed runs the tests of a suite and demands that they fail.
func (m *module) seeRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	seen, err := m.seeNamed(ctx, n, s)
	switch {
	case err != nil || ctx.Err() != nil:
		return m.unable(ctx, err)
	case seen:
		return step.Outcome{}
	}
	return m.seeNearRed(ctx, n, s)
}

// seeNearRed runs the tests of a suite that are near to those that were written, or all.
func (m *module) seeNearRed(ctx context.Context, n graph.Node, s integrity.Suite) step.Outcome {
	near := m.scope(s.Gate, gate.ReachNear, since(m.tree, 0))
	before, err := m.beforeTests(ctx, n, s.Gate, near)
	if err != nil {
		return m.unable(ctx, err)
	}
	if before.Verdict == gate.Error || before.Verdict == gate.NotRun && !before.Empty {
		m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: "red", Weight: gate.Advisory, Summary: digest("the new tests were not seen to fail: "+s.Gate+" could not run before the change: "+before.Summary, 200),
		}})
		m.unseen = true
		return step.Outcome{}
	}
	m.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
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
	m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case !red:
		return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	m.red = append(m.red, redOf(s.Gate, before, report))
	return step.Outcome{}
}

// seeNamed runs the tests of a long suite, or of a large folder, that were written or stated anew, and no others: where they fail, as they must, that is
// all that is to be seen. It is not seen where they cannot be told apart, or do not fail.
func (m *module) seeNamed(ctx context.Context, n graph.Node, s integrity.Suite) (seen bool, err error) {
	before, known := m.knownBefore(s.Gate)
	scope := namedTests(s, since(m.tree, 0))
	if len(scope.Named) == 0 || !m.narrow(s.Gate) && (!known || before.Verdict == gate.Error || before.Elapsed < longSuite) {
		return false, nil
	}
	if m.narrow(s.Gate) || !before.Checked.IsZero() {
		if before, err = m.runGateIn(ctx, n, "before red by name", s.Gate, step.State{Base: m.Base, Changes: m.start.Changes}, scope); err != nil {
			return false, err
		}
	}
	report, err := m.runGateIn(ctx, n, "red by name", s.Gate, m.tree, scope)
	if red, _ := s.Red(before, report); err != nil || !red || ctx.Err() != nil {
		return false, err
	}
	m.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: redReport(report)})
	red := redOf(s.Gate, before, report)
	red.Part = true
	m.red = append(m.red, red)
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
		report, err := m.runGateIn(ctx, n, "red near", s.Gate, m.tree, first)
		if red, _ := s.Red(before, report); err != nil || red || ctx.Err() != nil {
			return report, err
		}
	}
	return m.runGateIn(ctx, n, "red", s.Gate, m.tree, near)
}

// redOf is what was seen of a suite: which tests fail that did not before, and whether some did not compile.
func redOf(name string, before, after gate.Report) integrity.Red {
	fresh := gate.Fresh(before, after)
	return integrity.Red{Gate: name, Tests: integrity.Failing(fresh), Broken: len(unnamed(fresh)) > 0, Faults: fresh}
}

// seenRed tells how the tests of the run fail without an implementation; nothing where that was not seen.
func (m *module) seenRed() []prompt.Section {
	var text strings.Builder
	for _, red := range m.red {
		for i, f := range red.Faults {
			if i == maxSeenRed {
				fmt.Fprintf(&text, "… and %d more\n", len(red.Faults)-i)
				break
			}
			text.WriteString(digest(retold(f), maxRedFault) + "\n")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "How the tests fail now", Text: strings.TrimRight(text.String(), "\n"), Data: true, Cut: 2}}
}

// The most that is told of tests that fail before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 400
