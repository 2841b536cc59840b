package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// Reds confirms that tests fail without their implementation. It stores the result in tested.
type Reds struct {
	*work.Module
	gates   *Gates
	checker *Checker
}

// NewReds returns the Reds of a module, with the gates of a checker.
func NewReds(u *work.Module, c *Checker) *Reds { return &Reds{Module: u, gates: c.gates, checker: c} }

// Confirm runs the tests of the suites that a change of tests affects, and requires that a new test fails in at least one. In the others,
// the tests may pass already, or may fail as before: for a package that is not installed, for example. No suite may have a fault.
func (r *Reds) Confirm(ctx context.Context, n graph.Node, suites []integrity.Suite) step.Outcome {
	var unseen []gate.Report // with the names of the suites
	for _, s := range suites {
		report, o := r.confirm(ctx, n, s)
		if o.Signal != step.Success {
			return o
		}
		if report.Gate != "" {
			unseen = append(unseen, report)
		}
	}
	if len(unseen) == 0 {
		return step.Outcome{}
	}
	var why []string
	for _, report := range unseen {
		said := report.Summary
		if len(r.Run.Project.Suites) > 1 {
			said = report.Gate + ": " + said
		}
		why = append(why, said)
		report.Gate, report.Summary = "red", work.Shorten(said, 200)
		if len(r.Tests.Red) > 0 {
			report.Verdict, report.Weight, report.Summary = gate.NotRun, gate.Advisory, work.Shorten("not seen to fail: "+said, 200)
		}
		r.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
		r.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	}
	if len(r.Tests.Red) > 0 {
		return step.Outcome{}
	}
	return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + strings.Join(why, "; ")}
}

// confirm runs the tests of one suite. unseen is the report of a suite in which no new test fails; it is empty if one does, and if the suite
// cannot run.
func (r *Reds) confirm(ctx context.Context, n graph.Node, s integrity.Suite) (unseen gate.Report, o step.Outcome) {
	if o := r.ready(ctx, n); o.Signal != step.Success {
		return unseen, o
	}
	seen, err := r.seeNamed(ctx, n, s)
	switch {
	case err != nil || ctx.Err() != nil:
		return unseen, work.Unable(ctx, err)
	case seen:
		return unseen, step.Outcome{}
	}
	return r.seeNearRed(ctx, n, s)
}

// ready waits for the baseline where gates take turns; see Gates.Ready.
func (r *Reds) ready(ctx context.Context, n graph.Node) step.Outcome {
	if r.gates.Joined() || !r.Run.Project.InTurn {
		return step.Outcome{}
	}
	return r.join(ctx, n)
}

// join waits for the baseline, and asks the user about tests that cannot run.
func (r *Reds) join(ctx context.Context, n graph.Node) step.Outcome {
	if err := r.gates.Join(ctx); err != nil {
		return work.Unable(ctx, err)
	}
	if o := r.gates.AskAboutTests(ctx, n, r.Questions); o.Status != graph.Done {
		return step.Outcome{Signal: step.NeedsHuman, Reason: o.Reason}
	}
	return step.Outcome{}
}

// seeNearRed runs the tests of a suite that are near the new ones, or all.
func (r *Reds) seeNearRed(ctx context.Context, n graph.Node, s integrity.Suite) (unseen gate.Report, o step.Outcome) {
	if !r.gates.Joined() {
		near := gate.Scope{Changed: work.ScopePaths(work.Since(r.Now.Tree, 0)), Reach: gate.ReachNear}
		if before, report, seen := r.seenBeside(ctx, n, s, "near", near); seen {
			return r.concludeRed(ctx, n, s, before, report, nil)
		}
		if o := r.join(ctx, n); o.Signal != step.Success {
			return unseen, o
		}
	}
	near := r.gates.scope(s.Gate, gate.ReachNear, work.Since(r.Now.Tree, 0))
	before, err := r.checker.beforeTests(ctx, n, s.Gate, near)
	if err != nil {
		return unseen, work.Unable(ctx, err)
	}
	if before.Verdict == gate.Error || before.Verdict == gate.NotRun && !before.Empty {
		r.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
			Gate: "red", Weight: gate.Advisory, Summary: work.Shorten("the new tests were not seen to fail: "+s.Gate+" could not run before the change: "+before.Summary, 200),
		}})
		r.Tests.CouldNotRun()
		return unseen, step.Outcome{}
	}
	report, err := r.runNew(ctx, n, s, before, near)
	if err == nil && excused(before, report) {
		before, err = r.checker.measuredNow(ctx, n, s.Gate, report)
	}
	return r.concludeRed(ctx, n, s, before, report, err)
}

// concludeRed decides whether new tests of a suite were seen to fail. unseen is the report of a suite in which none does.
func (r *Reds) concludeRed(ctx context.Context, n graph.Node, s integrity.Suite, before, report gate.Report, err error) (unseen gate.Report, o step.Outcome) {
	seen, why := r.seenIn(s, before, report)
	verdict := redReport(report)
	switch {
	case ctx.Err() != nil || err != nil:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Error, 0, report.Summary
	case why != "":
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Fail, 0, why
		if nothingFresh(before, report) {
			verdict.Gate = s.Gate
			return verdict, step.Outcome{}
		}
	}
	r.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	r.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return unseen, step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return unseen, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case why != "":
		return unseen, step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	r.Tests.SawRed(seen)
	return unseen, step.Outcome{}
}

// nothingFresh reports whether a suite with new tests passes, has none of them, or only fails as before.
func nothingFresh(before, after gate.Report) bool {
	switch after.Verdict {
	case gate.Pass:
		return true
	case gate.NotRun:
		return after.Empty
	}
	return after.Verdict == gate.Fail && len(after.Findings) > 0 && len(gate.Fresh(before, after)) == 0
}

// seenIn returns which tests of a suite were seen to fail, or why the failures are not of new tests. It omits failures that are neither
// known tests nor in a new test file: a runner that runs out of time reports that like a test.
func (r *Reds) seenIn(s integrity.Suite, before, report gate.Report) (seen integrity.Red, why string) {
	red, why := s.Red(before, report)
	if !red {
		return seen, cmp.Or(why, "no new test fails")
	}
	written := r.Run.Project.Suites.Rewritten(work.Since(r.Now.Tree, 0))
	seen = redOf(s.Gate, before, report)
	seen.Tests = slices.DeleteFunc(slices.Clone(seen.Tests), func(test string) bool {
		return !written.MayHold(test) && !slices.Contains(before.PassedTests, test)
	})
	if len(seen.Tests) == 0 && !seen.Broken {
		return seen, "what fails is no test that was written: " + report.Summary
	}
	return seen, ""
}

// seeNamed runs only the new or rewritten tests of a long suite, or of a large folder: if they fail, as they must, no more is needed. seen
// is false if they cannot be run separately, or do not fail.
func (r *Reds) seeNamed(ctx context.Context, n graph.Node, s integrity.Suite) (seen bool, err error) {
	before, known := r.checker.knownBefore(s.Gate)
	scope := namedTests(s, work.Since(r.Now.Tree, 0))
	beside := !r.gates.Joined()
	if len(scope.Named) == 0 || !beside && !r.gates.narrow(s.Gate) && (!known || before.Verdict == gate.Error || before.Elapsed < longSuite) {
		return false, nil
	}
	var report gate.Report
	if beside {
		before, report, seen = r.seenBeside(ctx, n, s, "by name", scope)
	} else {
		before, report, seen, err = r.compareNamed(ctx, n, s, before, scope)
	}
	if err != nil || !seen || ctx.Err() != nil {
		return false, err
	}
	r.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	r.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: redReport(report)})
	red := redOf(s.Gate, before, report)
	red.Part = true
	r.Tests.SawRed(red)
	return true, nil
}

// compareNamed runs named tests with the change and, if their result without it is unknown, without it.
func (r *Reds) compareNamed(ctx context.Context, n graph.Node, s integrity.Suite, known gate.Report, scope gate.Scope) (before, after gate.Report, red bool, err error) {
	before = known
	if r.gates.narrow(s.Gate) || !known.Checked.IsZero() || len(known.Listed) > 0 {
		if before, err = r.gates.runGateIn(ctx, n, "before red by name", s.Gate, step.State{Base: r.Folder().Base, Changes: r.Start.Tree.Changes}, scope); err != nil {
			return before, after, false, err
		}
	}
	after, err = r.gates.runGateIn(ctx, n, "red by name", s.Gate, r.Now.Tree, scope)
	red, _ = s.Red(before, after)
	return before, after, red, err
}

// redReport returns the report that tests were seen to fail.
func redReport(report gate.Report) gate.Report {
	return gate.Report{Gate: "red", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "the new tests fail, as they must before there is an implementation",
		Output: report.Output, Command: report.Command, Elapsed: report.Elapsed}
}

// longSuite is the duration from which a suite is long, so that the new tests run before all others.
const longSuite = time.Second

// runNew runs the new tests: of a long suite the tests near them, and all if none of these fails.
func (r *Reds) runNew(ctx context.Context, n graph.Node, s integrity.Suite, before gate.Report, near gate.Scope) (gate.Report, error) {
	if near.Reach == gate.ReachAll && before.Elapsed >= longSuite {
		first := gate.Scope{Changed: near.Changed, Reach: gate.ReachNear}
		report, err := r.gates.runGateIn(ctx, n, "red near", s.Gate, r.Now.Tree, first)
		if red, _ := s.Red(before, report); err != nil || red || ctx.Err() != nil {
			return report, err
		}
	}
	return r.gates.runGateIn(ctx, n, "red", s.Gate, r.Now.Tree, near)
}

// redOf returns which tests of a suite fail that did not before, and whether some did not compile.
func redOf(name string, before, after gate.Report) integrity.Red {
	fresh := gate.Fresh(before, after)
	return integrity.Red{Gate: name, Tests: integrity.Failing(fresh), Broken: len(gate.Unnamed(fresh)) > 0, Faults: fresh}
}

// SeeRedAgain checks tests of parts that were changed when the parts were joined: without the code of their part they must not pass. So
// no test is made to pass by removing its requirements.
func (r *Reds) SeeRedAgain(ctx context.Context, n graph.Node) step.Outcome {
	changed := work.ChangedPaths(r.Now.Made())
	rewritten := func(path string) bool { return r.Run.Project.IsTest(path) && slices.Contains(changed, path) } // tests in code files are kept anyway
	for _, part := range r.Job.Before() {
		if part.Job.Part == nil || part.Tests.Written == nil || !slices.ContainsFunc(work.ChangedPaths(*part.Tests.Written), rewritten) {
			continue
		}
		for _, red := range part.Tests.Red {
			if o := r.stillRed(ctx, n, part, red); o.Signal != step.Success {
				return o
			}
		}
	}
	return step.Outcome{}
}

// stillRed runs a suite on the result without the code of a part, and requires that none of the part's tests passes.
func (r *Reds) stillRed(ctx context.Context, n graph.Node, part *work.Module, red integrity.Red) step.Outcome {
	report, err := r.gates.runGateIn(ctx, n, "red again/"+part.Job.ID, red.Gate, r.Folder().With(r.without(part)), r.checker.wide(red.Gate))
	if err != nil {
		return work.Unable(ctx, err)
	}
	said := gate.Report{Gate: "red", Verdict: gate.Pass, Executed: max(1, len(red.Tests)), Passed: max(1, len(red.Tests)), Command: report.Command, Elapsed: report.Elapsed,
		Summary: fmt.Sprintf("without what %s is for its tests do not pass", part.Job.ID)}
	find := func(test, format string, args ...any) {
		said.Findings = append(said.Findings, gate.Finding{Severity: gate.SeverityError, Rule: "red", Test: test, Message: fmt.Sprintf(format, args...)})
	}
	for _, test := range red.Tests {
		if slices.Contains(report.PassedTests, test) {
			find(test, "%s passes without what %s is for: it was made to ask for less", test, part.Job.ID)
		}
	}
	switch {
	case report.Verdict != gate.Pass && report.Verdict != gate.Fail:
		find("", "the tests of %s were changed, and could not be run without what it is for: %s", part.Job.ID, report.Summary)
	case report.Verdict == gate.Pass && len(said.Findings) == 0: // they have no names, or were not executed
		find("", "the tests of %s were changed, and all tests pass without what it is for", part.Job.ID)
	}
	if len(said.Findings) > 0 {
		said.Verdict, said.Passed, said.Summary = gate.Fail, max(0, len(red.Tests)-len(said.Findings)), work.Shorten(said.Findings[0].Message, 200)
	}
	r.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: said})
	if said.Verdict == gate.Fail {
		return step.Outcome{Signal: step.Retryable, Reason: said.Findings[0].Message}
	}
	return step.Outcome{}
}

// without returns the result of the attempt with the code of a part reverted to the part's beginning.
func (r *Reds) without(part *work.Module) patch.ChangeSet {
	own := work.ChangedPaths(part.Now.Made())
	isCode := func(f patch.FileChange) bool { return slices.Contains(own, f.Path) && !r.Run.Project.IsTest(f.Path) }
	rest := patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.Now.Changes.Files), isCode)}
	for _, f := range part.Start.Given.Files {
		if isCode(f) {
			rest.Files = append(rest.Files, f)
		}
	}
	return rest
}
