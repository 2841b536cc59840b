package judge

import (
	"context"
	"fmt"
	"path"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// partAsItWas runs those tests, as they were on the code of the change, that can say something that is not known. It is not enough where that cannot be
// told, or more has changed than they show.
func (r *regression) partAsItWas(ctx context.Context, s integrity.Suite, before gate.Report) (report gate.Report, enough bool, err error) {
	if report, enough, err = r.byName(ctx, s, before); err != nil || enough {
		return report, enough, err
	}
	return r.byFile(ctx, s)
}

// byFile runs the tests that the changed test files concern, if the suite was just seen to fail nothing with the change that did not fail before it, as far
// as the change concerns it: the other tests are the same, on the same code, and their results are known. It is not enough if another test fails there, or
// something does not compile.
func (r *regression) byFile(ctx context.Context, s integrity.Suite) (report gate.Report, enough bool, err error) {
	now, tests := r.result(s), r.testsOnly()
	if r.Checker.charge(now).Verdict != gate.Pass || len(now.Held) == 0 || len(tests.Files) == 0 || !r.allHold(tests, now) {
		return report, false, nil
	}
	report, err = r.theirFiles(ctx, s)
	return r.withOtherFiles(report, now), r.isAsBefore(s, report), err
}

// theirFiles runs the tests that the changed test files concern, as they were.
func (r *regression) theirFiles(ctx context.Context, s integrity.Suite) (gate.Report, error) {
	return r.gates.runGateIn(ctx, r.node, "their tests", s.Gate, r.onTheirCode(), gate.Scope{Changed: work.ScopePaths(r.testsOnly()), Reach: gate.ReachWide})
}

// allHold reports whether each changed file of tests holds tests that pass, or is new and of the same kind as one that does: no test that was there can
// need it. What others take from a changed file without tests, such as data, fixtures and snapshots, may concern any of them.
func (r *regression) allHold(tests patch.ChangeSet, now gate.Report) bool {
	holding := map[string]bool{} // by the endings of their names
	rest := slices.DeleteFunc(slices.Clone(tests.Files), func(f patch.FileChange) bool {
		holds := r.holds(f, now)
		holding[path.Ext(f.Path)] = holding[path.Ext(f.Path)] || holds
		return holds
	})
	return !slices.ContainsFunc(rest, func(f patch.FileChange) bool { return f.Kind != patch.Create || !holding[path.Ext(f.Path)] })
}

// holds reports whether a changed file holds tests that pass.
func (r *regression) holds(f patch.FileChange, now gate.Report) bool {
	one := r.Run.Project.Suites.Rewritten(patch.ChangeSet{Files: []patch.FileChange{f}})
	return slices.ContainsFunc(now.Held, func(test string) bool { return one.Touched(test) || one.Written(test) })
}

// onTheirCode is the code of the change with all tests as they were.
func (r *regression) onTheirCode() step.State { return r.Run.Folder().With(r.codeOnly()) }

// isAsBefore reports whether nothing fails but tests that did before the run, and those of changed files, of which nothing is known from elsewhere.
func (r *regression) isAsBefore(s integrity.Suite, report gate.Report) bool {
	failed := integrity.Failing(r.Checker.before(s.Gate).Findings)
	return report.Verdict == gate.Pass || report.Verdict == gate.Fail && !slices.ContainsFunc(report.Findings, func(f gate.Finding) bool {
		return f.Blocks() && !slices.Contains(failed, f.Test) && (f.Test == "" || !r.rewritten.Touched(f.Test))
	})
}

// withOtherFiles adds what is known of tests in files that the change leaves as they are.
func (r *regression) withOtherFiles(report, now gate.Report) gate.Report {
	report.Held = slices.Clone(report.Held)
	failed := integrity.Failing(report.Findings)
	for _, test := range now.Held {
		if !r.rewritten.Touched(test) && !slices.Contains(failed, test) {
			report.Held = append(report.Held, test)
		}
	}
	slices.Sort(report.Held)
	report.Held = slices.Compact(report.Held)
	return report
}

// Where some tests do not compile, none beside them runs, and nothing is seen of those. What follows looks at tests without what does not
// compile. A test counts only if it was executed: what is taken out with the rest was not seen to pass, and not seen to fail.

// stillPass leaves out of tests that were not seen to pass as they were, because others beside them do not compile with the change, those that
// pass once these others are taken out.
func (r *regression) stillPass(ctx context.Context, s integrity.Suite, report gate.Report, found []gate.Finding) ([]gate.Finding, error) {
	if len(found) == 0 || s.Without == nil || slices.Contains(testsOf(found), "") || len(unnamed(report.Findings)) == 0 {
		return found, nil
	}
	old := patch.ChangeSet{}
	for _, f := range r.Now.Changes.Files {
		if r.isTestFile(f) && f.Kind == patch.Update {
			old.Files = append(old.Files, patch.FileChange{Kind: patch.Update, Path: f.Path, Before: f.Before, After: f.Before})
		}
	}
	rest, _, ok, err := r.runWithout(ctx, r.step("their tests that compile"), s, r.codeOnly(), old, gate.Alone(r.Checker.wide(s.Gate), testsOf(found))[0], report.Findings)
	if err != nil || !ok {
		return found, err
	}
	return slices.DeleteFunc(found, func(f gate.Finding) bool { return slices.Contains(rest.Held, f.Test) }), nil
}

// redBeside looks at tests that the change rewrites and that were not run on the old code, or only beside others that do not compile there: without
// these they are run there, by themselves. That they fail counts where they pass there as they were, also by themselves.
func (r *regression) redBeside(ctx context.Context, s integrity.Suite, found []gate.Finding, red integrity.Red) (integrity.Red, error) {
	only := r.notSeen(r.evidence(s, red), found)
	if len(only) == 0 || s.Without == nil || !red.Part && len(unnamed(red.Faults)) == 0 {
		return red, nil
	}
	scope := gate.Alone(r.Checker.wide(s.Gate), only)[0]
	asTheyWere, err := r.gates.runGateIn(ctx, r.node, r.step("their tests alone"), s.Gate, r.Run.Folder(), scope)
	if err != nil || asTheyWere.Verdict != gate.Pass {
		return red, err
	}
	report, faults, ok, err := r.runWithout(ctx, r.step("new tests that compile on old code"), s, patch.ChangeSet{}, r.testsOnly(), scope, red.Faults)
	red.Faults = slices.Concat(red.Faults, faults)
	if err != nil || !ok || report.Verdict != gate.Fail {
		return red, err
	}
	for _, test := range integrity.Failing(report.Findings) {
		if !slices.Contains(red.Tests, test) {
			red.Tests = append(slices.Clip(red.Tests), test)
		}
	}
	return red, nil
}

// notSeen names those of the tests found that the change rewrites and that pass now, of which it is not known what they say of the old code.
func (r *regression) notSeen(e evidence, found []gate.Finding) (tests []string) {
	for _, f := range found {
		if f.Test != "" && r.rewritten.Touched(f.Test) && e.passes(f.Test) && !e.wasRed(f.Test) {
			tests = append(tests, f.Test)
		}
	}
	return tests
}

// maxWithout is how often something is taken out of tests: a compiler reports some faults only once others are gone.
const maxWithout = 8

// runWithout runs tests in a scope on the tree of the user with a change of its code, less what of the tests is seen not to compile: first what
// was found before, then what is found without that. more is the latter. It is not ok where it is not known what that leaves.
func (r *regression) runWithout(ctx context.Context, stepName string, s integrity.Suite, code, tests patch.ChangeSet, scope gate.Scope, faults []gate.Finding) (report gate.Report, more []gate.Finding, ok bool, err error) {
	faults = unnamed(faults)
	for i := 0; i < maxWithout && ctx.Err() == nil; i++ {
		if tests, ok = without(s, tests, faults); !ok {
			return report, more, false, nil
		}
		if report, err = r.gates.runGateIn(ctx, r.node, work.Again(stepName, i), s.Gate, r.Run.Folder().With(code).With(tests), scope); err != nil {
			return report, more, false, err
		}
		if faults = unnamed(report.Findings); len(faults) == 0 {
			return report, more, report.Verdict == gate.Pass || report.Verdict == gate.Fail, nil
		}
		more = append(more, faults...)
	}
	return report, more, false, nil
}

// without takes what faults are in out of tests; not ok where one is in none of them, or has no line.
func without(s integrity.Suite, tests patch.ChangeSet, faults []gate.Finding) (rest patch.ChangeSet, ok bool) {
	lines := map[string][]int{}
	for _, f := range faults {
		if f.Inferred || f.Line == 0 {
			return tests, false
		}
		lines[f.Path] = append(lines[f.Path], f.Line)
	}
	for _, f := range tests.Files {
		if at := lines[f.Path]; len(at) > 0 && f.Kind != patch.Delete {
			if f.After, ok = s.Without(f.After, at); !ok {
				return tests, false
			}
			delete(lines, f.Path)
		}
		rest.Files = append(rest.Files, f)
	}
	return rest, len(lines) == 0
}

// unnamed are the findings that are of no test: what does not compile.
func unnamed(all []gate.Finding) []gate.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f gate.Finding) bool { return f.Test != "" })
}

// compareInCode looks at files of code with tests that lost something: as they were those tests cannot be run, because the code around them is
// another. One that the change replaces was seen to fail on the old code and passes now, under its name; what is lost beside such tests is
// weakened.
func (r *regression) compareInCode() {
	for _, f := range r.unnamed().Files {
		file := integrity.Origin(f)
		if r.Run.Project.IsTest(file) {
			continue
		}
		replaced := r.replacedIn(file)
		if r.rewritten.Outside(file, replaced) {
			r.said.Findings = append(r.said.Findings, gate.Finding{Path: file, Line: 1, Severity: gate.SeverityError, Rule: integrity.RuleRegression,
				Message: fmt.Sprintf("the change takes something out of the tests in %s", file)})
			continue
		}
		for _, test := range replaced {
			r.replaced = append(r.replaced, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " in " + file + " passes as it is today, and states something else with this change"})
		}
	}
}

// replacedIn are the tests in a file of code that passed before, were seen to fail as they are now on the old code, and pass with the change.
func (r *regression) replacedIn(file string) (tests []string) {
	lost := r.lost
	lost.Files = slices.DeleteFunc(slices.Clone(lost.Files), func(f patch.FileChange) bool { return integrity.Origin(f) != file })
	rewritten := r.Run.Project.Suites.Rewritten(lost)
	for _, s := range r.Run.Project.Suites.In(lost) {
		before := r.Checker.before(s.Gate)
		red, was := r.Tests.AllRed().At(s.Gate)
		if !was { // no tests were written first: what they say of the old code was not seen
			continue
		}
		e := evidence{rewritten: rewritten, red: red,
			now: r.result(s), before: before, keeps: !r.Job.Recipe().TestsFirst()}
		for _, test := range before.Held {
			if rewritten.Touched(test) && !slices.Contains(tests, test) && e.replaces(test) {
				tests = append(tests, test)
			}
		}
	}
	return tests
}

// byName runs the tests that a change states anew, as they were, where nothing differs in their files but tests: what the others say is known from the
// change. It is not enough where one of them was not executed.
func (r *regression) byName(ctx context.Context, s integrity.Suite, before gate.Report) (report gate.Report, enough bool, err error) {
	if !onlyNamed(s, r.testsOnly()) {
		return report, false, nil
	}
	scope := namedTests(s, r.testsOnly())
	report = gate.Report{Gate: s.Gate, Verdict: gate.Pass, Tests: true}
	if len(scope.Named) > 0 {
		if report, err = r.gates.runGateIn(ctx, r.node, "their tests by name", s.Gate, r.onTheirCode(), scope); err != nil {
			return report, false, err
		}
	}
	report = r.withOtherTests(report, r.result(s), scope.Named)
	return report, executedAll(before, report, scope.Named), nil
}

// namedTests is the scope of the tests that a change states anew, takes away or adds in files of tests.
func namedTests(s integrity.Suite, change patch.ChangeSet) gate.Scope {
	change.Files = slices.DeleteFunc(slices.Clone(change.Files), func(f patch.FileChange) bool { return !s.IsTest(f.Path) })
	scope := gate.Scope{Changed: work.ScopePaths(change), Reach: gate.ReachNear}
	for _, f := range change.Files {
		if s.Touched != nil && f.Kind != patch.Delete {
			names, _ := s.Touched(f.Before, f.After)
			scope.Named = work.Union(scope.Named, names)
		}
	}
	return scope
}

// onlyNamed reports whether a change of files of tests touches nothing in them but tests.
func onlyNamed(s integrity.Suite, tests patch.ChangeSet) bool {
	return s.Touched != nil && !slices.ContainsFunc(tests.Files, func(f patch.FileChange) bool {
		_, only := s.Touched(f.Before, f.After)
		return !only || f.Kind == patch.Delete || f.Kind == patch.Move || !s.IsTest(f.Path)
	})
}

// withOtherTests is a report of some tests with what is known of all others that pass with the change.
func (r *regression) withOtherTests(report, now gate.Report, named []string) gate.Report {
	for _, test := range now.Held {
		if !r.rewritten.Touched(test) || !slices.Contains(named, integrity.Base(test)) {
			report.Held = append(slices.Clip(report.Held), test)
		}
	}
	slices.Sort(report.Held)
	report.Held = slices.Compact(report.Held)
	return report
}

// executedAll reports whether tests were executed that have names of some and passed before, or could not be compiled.
func executedAll(before, report gate.Report, named []string) bool {
	if report.Verdict != gate.Pass && report.Verdict != gate.Fail {
		return false
	}
	return len(unnamed(report.Findings)) > 0 || !slices.ContainsFunc(before.Held, func(test string) bool {
		if slices.Contains(report.Held, test) || !slices.Contains(named, integrity.Base(test)) {
			return false
		}
		return !slices.ContainsFunc(report.Findings, func(f gate.Finding) bool { return integrity.Base(f.Test) == integrity.Base(test) })
	})
}
