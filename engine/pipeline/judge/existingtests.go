package judge

import (
	"cmp"
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

// KeepExistingTests checks changes after which existing tests may state something else. The original tests, run on the changed code, must pass if they
// passed before. A failing one may be replaced if its new text was seen to fail on the old code, and passes now: the proposal shows
// that, and Forge asks the user if one can answer. A test that is weakened or removed otherwise needs the user's consent; a model's is
// not enough. KeepExistingTests returns reports to add to those of gates; none if none is altered, or if the user has named the tools that alter them.
func (ps *Promises) KeepExistingTests(ctx context.Context, n graph.Node) ([]gate.Report, step.Outcome) {
	altered := ps.alteredTests()
	if len(altered.Files) == 0 || len(ps.Run.Task.Direct) > 0 {
		return nil, step.Outcome{}
	}
	if r, is := ps.refusedBefore(n); is {
		return r.conclude(ctx)
	}
	r := regression{Promises: ps, node: n, altered: altered, rewritten: ps.Run.Project.Suites.Rewritten(ps.Now.Changes),
		said: gate.Report{Gate: integrity.RuleRegression, Verdict: gate.Pass}}
	for _, s := range ps.Run.Project.Suites.In(altered) {
		r.again = false
		if o := r.compareSuite(ctx, s); o.Signal != step.Success {
			return nil, o
		}
	}
	if o := (inCode{&r}).compare(ctx); o.Signal != step.Success {
		return nil, o
	}
	r.said.Findings, r.replaced, r.aided = gate.Cases(r.said.Findings), gate.Cases(r.replaced), gate.Cases(r.aided)
	return r.conclude(ctx)
}

// regression is one check of the tests that a change touches.
type regression struct {
	*Promises
	node      graph.Node
	altered   patch.ChangeSet
	rewritten integrity.Rewritten
	said      gate.Report    // its findings are the weakened or removed tests
	replaced  []gate.Finding // replaced tests, which were seen to fail before
	moved     []gate.Finding // tests whose files import from elsewhere, and that are the same otherwise
	aided     []gate.Finding // tests in other files that need what is added to the changed ones
	unloaded  []gate.Finding // why original test files do not load with the change
	again     bool           // a part of the suite was not enough, so all of it runs
	unable    bool           // a suite could not run, and may be able to the next time
	unseen    []string       // tests that fail now, and could not run on the folder
	answer    event.Answer   // the user's decision
	repeated  int            // how many steps were repeated because they had no result
	since     int            // the attempt in which the same change was refused; 0 if it was not
}

// compareSuite runs a suite on the result with the original tests, and finds tests that passed before and do not now. A finding of a part
// of the suite counts only if the whole suite confirms it: a test that fails in a part may need tests that the part omits.
func (r *regression) compareSuite(ctx context.Context, s integrity.Suite) step.Outcome {
	before := r.Checker.before(s.Gate)
	if before.Verdict != gate.Pass && len(before.PassedTests) == 0 { // no test is known to have passed
		return step.Outcome{}
	}
	was := *r
	report, enough, err := r.partAsItWas(ctx, s, before)
	if err != nil {
		return work.Unable(ctx, err)
	}
	if enough {
		o := r.judgeSuite(ctx, s, before, report)
		if o.Signal != step.Success || len(r.said.Findings) == len(was.said.Findings) && !slices.ContainsFunc(r.replaced[len(was.replaced):], r.asWritten) {
			return o
		}
		was.repeated, was.again = r.repeated, true
		*r = was
	}
	if report, err = r.run(ctx, "all their tests", s.Gate, r.onTheirCode(), r.Checker.wide(s.Gate)); err != nil {
		return work.Unable(ctx, err)
	}
	return r.judgeSuite(ctx, s, before, report)
}

// step names a step of the check, which may happen twice: in a part of the suite and in all of it, and again, with another input, after a step that had no
// result was repeated because the user has resumed the run.
func (r *regression) step(name string) string {
	if r.again {
		name = "all: " + name
	}
	if r.repeated > 0 {
		name = fmt.Sprintf("retry %d: %s", r.repeated, name)
	}
	return name
}

// run runs a suite on a tree.
func (r *regression) run(ctx context.Context, name, suite string, tree step.State, scope gate.Scope) (gate.Report, error) {
	report, repeated, err := r.gates.runGateTimes(ctx, r.node, r.step(name), suite, tree, scope)
	r.repeated += repeated
	return report, err
}

// asWritten reports whether a finding is about a test whose lines the change does not touch.
func (r *regression) asWritten(f gate.Finding) bool { return !r.rewritten.Restates(f.Test) }

// judgeSuite finds the tests that passed before, and do not in a report on the changed code with the original tests.
func (r *regression) judgeSuite(ctx context.Context, s integrity.Suite, before, report gate.Report) (o step.Outcome) {
	r.unable = r.unable || !conclusive(report)
	report, err := r.withLate(ctx, s, before, report)
	if err == nil {
		before, err = r.withUnknown(ctx, s, before, report)
	}
	if err != nil {
		return work.Unable(ctx, err)
	}
	executed, found := integrity.Kept(before, report)
	if len(found) > 0 && !redOf(s.Gate, before, report).Broken { // a failing test may be flaky; code that does not compile is not
		if report, err = r.Checker.runAlone(ctx, r.node, r.step("their tests again"), report, gate.TestsOf(found), r.onTheirCode()); err != nil {
			return work.Unable(ctx, err)
		}
		executed, found = integrity.Kept(before, report)
	}
	if found, err = r.stillPass(ctx, s, report, found); err != nil {
		return work.Unable(ctx, err)
	}
	found = slices.Concat(slices.DeleteFunc(found, r.named), r.removed(s, found))
	for i, f := range found {
		if slices.Contains(r.unseen, f.Test) {
			found[i].Message = f.Test + " would fail with this change, and could not be run without it"
		}
	}
	r.said.Findings = append(r.said.Findings, r.unfulfilled(s, report)...)
	r.said.Command, r.said.Elapsed, r.said.Output = report.Command, r.said.Elapsed+report.Elapsed, report.Output
	r.said.Executed += executed
	if len(found) == 0 {
		return step.Outcome{}
	}
	red, o := r.redOn(ctx, s)
	if o.Signal != step.Success {
		return o
	}
	if red, err = r.redBeside(ctx, s, found, red); err != nil {
		return work.Unable(ctx, err)
	}
	r.unloaded = append(r.unloaded, gate.Unnamed(report.Findings)...)
	r.sort(r.evidence(s, red), found)
	return step.Outcome{}
}

// named reports whether a finding is about a test in a file that the task names, and in no other file that loses something.
func (r *regression) named(f gate.Finding) bool {
	return f.Test != "" && r.rewritten.Touched(f.Test) && !r.Run.Project.Suites.Rewritten(r.unnamed()).Touched(f.Test)
}

// unnamed returns the files that lose tests and that the task does not name.
func (r *regression) unnamed() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.altered.Files), func(f patch.FileChange) bool { return r.asksFor(integrity.Origin(f)) })}
}

// removed finds original tests that pass, and that the change removes without a replacement.
func (r *regression) removed(s integrity.Suite, found []gate.Finding) (gone []gate.Finding) {
	before, now := r.Checker.before(s.Gate), r.result(s)
	fresh := integrity.Beyond(now.PassedTests, before.PassedTests)
	here := r.Run.Project.Suites.Rewritten(r.unnamed())
	for _, test := range integrity.Beyond(before.PassedTests, now.PassedTests) {
		said := slices.ContainsFunc(found, func(f gate.Finding) bool { return f.Test == test })
		if said || !here.Touched(test) || !r.rewritten.Gone(test) || r.rewritten.Renamed(test, fresh) != "" {
			continue
		}
		gone = append(gone, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test, Message: test + " passes as it is today, and the change removes it"})
	}
	return gone
}

// unfulfilled finds tests that failed before the run, that the task requires to pass, and whose original text does not pass: rewriting
// them is not what the task requires, even if the task names their file.
func (r *regression) unfulfilled(s integrity.Suite, asTheyWere gate.Report) (found []gate.Finding) {
	if r.Job.Recipe().OnlyTests() || len(asTheyWere.PassedTests) == 0 {
		return nil
	}
	for _, test := range r.wantedOf(s) {
		if r.rewritten.Touched(test) && !slices.Contains(asTheyWere.PassedTests, test) {
			found = append(found, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " fails today, the task names it, and as it is written it still fails with this change"})
		}
	}
	return found
}

// codeOnly returns the change without its test files; testsOnly returns only these.
func (r *regression) codeOnly() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.Now.Changes.Files), r.isTestFile)}
}

func (r *regression) testsOnly() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.Now.Changes.Files), func(f patch.FileChange) bool { return !r.isTestFile(f) })}
}

func (r *regression) isTestFile(f patch.FileChange) bool {
	return r.Run.Project.IsTest(integrity.Origin(f)) || r.Run.Project.IsTest(f.Path)
}

// redOn returns the result of the new tests on the old code: from before the implementation, or else from a run now.
func (r *regression) redOn(ctx context.Context, s integrity.Suite) (integrity.Red, step.Outcome) {
	if red, was := r.Tests.AllRed().At(s.Gate); was {
		return red, step.Outcome{}
	}
	report, err := r.run(ctx, "new tests on old code", s.Gate, r.Folder().With(r.testsOnly()), r.Checker.wide(s.Gate))
	if err != nil {
		return integrity.Red{}, work.Unable(ctx, err)
	}
	return redOf(s.Gate, r.Checker.before(s.Gate), report), step.Outcome{}
}

// sort separates tests that the change replaces, and those that only import from elsewhere, from those that it weakens or removes.
func (r *regression) sort(e evidence, found []gate.Finding) {
	for _, f := range found {
		switch {
		case f.Test != "" && r.relocated(e, f.Test):
			r.moved = append(r.moved, f)
		case f.Test != "" && r.isAided(e, f.Test):
			r.aided = append(r.aided, f)
		case f.Test != "" && e.replaces(f.Test):
			r.replaced = append(r.replaced, f)
		default:
			r.said.Findings = append(r.said.Findings, f)
		}
	}
}

// result returns a suite's report on the change.
func (r *regression) result(s integrity.Suite) (now gate.Report) {
	for _, report := range r.Now.Checked {
		if report.Gate == s.Gate {
			now = report
		}
	}
	return now
}

// evidence is what is known about the tests of a suite that a change touches.
type evidence struct {
	rewritten   integrity.Rewritten
	red         integrity.Red
	now, before gate.Report
	keeps       bool // the work changes no behaviour: a test may use other names for the same statement
}

// replaces reports whether the change replaces the statement of a test, or of its file: a test with the same name, one with mostly the
// same text, one in its place, or one that it was merged into was seen to fail on the old code, and passes on the new.
func (e evidence) replaces(test string) bool {
	switch {
	case e.rewritten.Substitutes(test):
		return false
	case e.passes(test):
		return e.wasRed(test)
	case e.rewritten.Gone(test):
		name := e.rewritten.Renamed(test, integrity.Beyond(e.now.PassedTests, e.before.PassedTests))
		name = cmp.Or(name, e.rewritten.InPlace(test, e.before.PassedTests, e.now.PassedTests), e.rewritten.Merged(test, e.now.PassedTests))
		return name != "" && e.wasRed(name)
	}
	return false
}

// evidence collects what is known about the tests of a suite; red is the result of the new tests on the old code.
func (r *regression) evidence(s integrity.Suite, red integrity.Red) evidence {
	return evidence{rewritten: r.rewritten, red: red, now: r.result(s), before: r.Checker.before(s.Gate), keeps: !r.Job.Recipe().TestsFirst()}
}

// relocated reports whether a test only imports from elsewhere: its original file does not load with the change, because what it imports is gone.
func (r *regression) relocated(e evidence, test string) bool {
	_, unloaded := r.whyUnloaded(test)
	return unloaded && e.passes(test) && r.rewritten.Relocated(test)
}

// isAided reports whether a test is in an unaltered file, passes now, and the altered files lose nothing: they only add what it needs, such as
// a helper or data.
func (r *regression) isAided(e evidence, test string) bool {
	return !r.rewritten.Touched(test) && e.passes(test) && !slices.ContainsFunc(r.altered.Files, r.Run.Project.Suites.Lose)
}

// passes reports whether a test passes now; for a test whose file was changed, whether a case of it does.
func (e evidence) passes(test string) bool {
	return slices.ContainsFunc(e.now.PassedTests, func(name string) bool { return e.rewritten.Same(test, name) })
}

// wasRed reports whether a test was seen to fail on the old code, or not to compile there because of its own text.
func (e evidence) wasRed(test string) bool {
	failed := slices.ContainsFunc(e.red.Tests, func(name string) bool { return e.rewritten.Same(test, name) || integrity.Covers(test, name) })
	return failed && !e.keeps || e.rewritten.Breaks(test, e.red.Faults)
}
