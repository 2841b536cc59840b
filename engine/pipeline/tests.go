package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/step"
)

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (r *run) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if r.tests != nil && !r.faultyTests {
		r.tree = r.with(*r.tests)
		return step.Outcome{}
	}
	r.faultyTests, r.red = false, nil
	p := phase{run: r, node: n, name: "tests", instructions: testsInstructions, profile: mode.TestsFirst, guard: r.onlyTests, demands: !r.failing()}
	if r.failing() {
		p.instructions += testsThereInstructions
	}
	if o := p.once(ctx); o.Signal != step.Success {
		return o
	}
	if o := r.format(ctx, n, "tests", since(r.tree, 0)); o.Signal != step.Success {
		return o
	}
	tests, o := r.write(ctx, n, "tests")
	if o.Signal != step.Success {
		return o
	}
	tests = r.withMatches(tests)
	for _, s := range r.Project.suites(tests) {
		if o := r.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	r.tests = &tests
	return step.Outcome{}
}

// failing reports whether the folder has a test that failed before the run.
func (r *run) failing() bool {
	return slices.ContainsFunc(r.Project.Suites, func(s Suite) bool { return len(failures(r.before(s.Gate).Findings)) > 0 })
}

// failures are the names of the tests among findings.
func failures(found []gate.Finding) (tests []string) {
	for _, f := range found {
		if f.Test != "" {
			tests = append(tests, f.Test)
		}
	}
	return tests
}

// seeRed runs the tests of a suite and demands that they fail.
func (r *run) seeRed(ctx context.Context, n graph.Node, s Suite) step.Outcome {
	r.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	report, err := r.runGate(ctx, n, "red", s.Gate, r.tree)
	red, why := s.Red(r.before(s.Gate), report)
	verdict := gate.Report{Gate: "red", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "the new tests fail, as they must before there is an implementation",
		Output: report.Output, Command: report.Command, Elapsed: report.Elapsed}
	switch {
	case ctx.Err() != nil || err != nil:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Error, 0, report.Summary
	case !red:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Fail, 0, why
	}
	r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case !red:
		return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	r.red = append(r.red, seenRed{gate: s.Gate, tests: failures(gate.Fresh(r.before(s.Gate), report))})
	return step.Outcome{}
}

func (r *run) before(name string) gate.Report {
	for _, report := range r.baseline {
		if report.Gate == name {
			return report
		}
	}
	return gate.Report{Gate: name}
}
