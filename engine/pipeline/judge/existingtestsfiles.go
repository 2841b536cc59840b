package judge

import (
	"context"
	"path"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// partAsItWas runs those original tests on the changed code whose result is unknown. enough is false if they cannot be selected, or if more
// has changed than they show.
func (r *regression) partAsItWas(ctx context.Context, s integrity.Suite, before gate.Report) (report gate.Report, enough bool, err error) {
	if report, enough, err = r.byName(ctx, s, before); err != nil || enough {
		return report, enough, err
	}
	return r.byFile(ctx, s)
}

// byFile runs the original tests of the changed test files, if the suite has just shown no new failures in the scope of the change: the
// other tests are the same, on the same code, so their results are known. enough is false if another test fails, code does not compile, or there was no
// time for tests that use the changed files.
func (r *regression) byFile(ctx context.Context, s integrity.Suite) (report gate.Report, enough bool, err error) {
	now, tests := r.result(s), r.testsOnly()
	if r.Checker.charge(now).Verdict != gate.Pass || len(now.PassedTests) == 0 || len(tests.Files) == 0 || !r.allHold(tests, now) {
		return report, false, nil
	}
	report, err = r.theirFiles(ctx, s)
	return r.withOtherFiles(report, now), report.Unreached == 0 && r.isAsBefore(s, report), err
}

// theirFiles runs the original tests of the changed test files.
func (r *regression) theirFiles(ctx context.Context, s integrity.Suite) (gate.Report, error) {
	return r.run(ctx, "their tests", s.Gate, r.onTheirCode(), gate.Scope{Changed: work.ScopePaths(r.testsOnly()), Reach: gate.ReachWide})
}

// allHold reports whether each changed test file has passing tests, or is new and of the same kind as one that has: no existing test can
// need it. Changed files without tests, such as data, fixtures and snapshots, may concern any test.
func (r *regression) allHold(tests patch.ChangeSet, now gate.Report) bool {
	holding := map[string]bool{} // by the endings of their names
	rest := slices.DeleteFunc(slices.Clone(tests.Files), func(f patch.FileChange) bool {
		holds := r.holds(f, now)
		holding[path.Ext(f.Path)] = holding[path.Ext(f.Path)] || holds
		return holds
	})
	return !slices.ContainsFunc(rest, func(f patch.FileChange) bool { return f.Kind != patch.Create || !holding[path.Ext(f.Path)] })
}

// holds reports whether a changed file has passing tests.
func (r *regression) holds(f patch.FileChange, now gate.Report) bool {
	one := r.Run.Project.Suites.Rewritten(patch.ChangeSet{Files: []patch.FileChange{f}})
	return slices.ContainsFunc(now.PassedTests, func(test string) bool { return one.Touched(test) || one.Written(test) })
}

// onTheirCode returns the changed code with all original tests.
func (r *regression) onTheirCode() step.State { return r.Folder().With(r.codeOnly()) }

// isAsBefore reports whether only tests fail that failed before the run, or that are in changed files and have no other result.
func (r *regression) isAsBefore(s integrity.Suite, report gate.Report) bool {
	failed := integrity.Failing(r.Checker.before(s.Gate).Findings)
	return report.Verdict == gate.Pass || report.Verdict == gate.Fail && !slices.ContainsFunc(report.Findings, func(f gate.Finding) bool {
		return f.Blocks() && !slices.Contains(failed, f.Test) && (f.Test == "" || !r.rewritten.Touched(f.Test))
	})
}

// withLate adds to a report on the original tests the results of those for which there was no time: wherever a test is, it may use what the change does
// to data and helpers. Their whole files run, because cases of which nothing is known may be beside them.
func (r *regression) withLate(ctx context.Context, s integrity.Suite, before, report gate.Report) (gate.Report, error) {
	late := integrity.Beyond(before.PassedTests, slices.Concat(report.PassedTests, integrity.Failing(report.Findings)))
	if report.Unreached == 0 || len(late) == 0 || len(gate.Unnamed(report.Findings)) > 0 {
		return report, nil
	}
	scope := r.Checker.wide(s.Gate)
	scope.Only, scope.Files = late, true
	more, err := r.run(ctx, "their tests without time", s.Gate, r.onTheirCode(), scope)
	r.unable = r.unable || !conclusive(more)
	report.PassedTests = slices.Compact(slices.Sorted(slices.Values(slices.Concat(report.PassedTests, more.PassedTests))))
	report.Findings, report.Elapsed = slices.Concat(report.Findings, more.Findings), report.Elapsed+more.Elapsed
	if report.Verdict == gate.Pass && more.Verdict == gate.Fail {
		report.Verdict = gate.Fail
	}
	return report, err
}

// withUnknown adds to a report from before the change those of the tests that fail now as they were, and of which it has no result, that pass on the
// folder: in a large one only a part was measured, and they may be cases of data that the change removes. If they cannot run there, all count; if
// there are none of these names, they are new.
func (r *regression) withUnknown(ctx context.Context, s integrity.Suite, before, report gate.Report) (gate.Report, error) {
	unknown := integrity.Beyond(integrity.Failing(report.Findings), slices.Concat(before.PassedTests, integrity.Failing(before.Findings)))
	if len(unknown) == 0 || len(before.PassedTests) == 0 {
		return before, nil
	}
	scope := gate.Alone(r.Checker.wide(s.Gate), unknown)[0]
	if len(scope.Only) == 0 {
		scope.Only, scope.Files = unknown, true
	}
	was, err := r.run(ctx, "unknown tests before", s.Gate, r.Folder(), scope)
	if conclusive(was) || was.Empty && !was.Unconcerned {
		unknown = slices.DeleteFunc(unknown, func(test string) bool { return !slices.Contains(was.PassedTests, test) })
	} else {
		r.unable, r.unseen = true, unknown
	}
	before.PassedTests = slices.Sorted(slices.Values(slices.Concat(before.PassedTests, unknown)))
	return before, err
}

// conclusive reports whether a suite could run.
func conclusive(report gate.Report) bool {
	return report.Verdict == gate.Pass || report.Verdict == gate.Fail
}

// withOtherFiles adds the known results of tests in unchanged files.
func (r *regression) withOtherFiles(report, now gate.Report) gate.Report {
	report.PassedTests = slices.Clone(report.PassedTests)
	failed := integrity.Failing(report.Findings)
	for _, test := range now.PassedTests {
		if !r.rewritten.Touched(test) && !slices.Contains(failed, test) {
			report.PassedTests = append(report.PassedTests, test)
		}
	}
	slices.Sort(report.PassedTests)
	report.PassedTests = slices.Compact(report.PassedTests)
	return report
}

// If some tests do not compile, tests next to them do not run, and their results are unknown. The following code runs tests without
// the parts that do not compile. A test counts only if it was executed: removed code was neither seen to pass nor seen to fail.

// stillPass handles original tests that were not seen to pass because others next to them do not compile with the change: it returns
// found without the tests that pass once those others are removed.
func (r *regression) stillPass(ctx context.Context, s integrity.Suite, report gate.Report, found []gate.Finding) ([]gate.Finding, error) {
	if len(found) == 0 || s.Without == nil || slices.Contains(gate.TestsOf(found), "") || len(gate.Unnamed(report.Findings)) == 0 {
		return found, nil
	}
	old := patch.ChangeSet{}
	for _, f := range r.Now.Changes.Files {
		if r.isTestFile(f) && f.Kind == patch.Update {
			old.Files = append(old.Files, patch.FileChange{Kind: patch.Update, Path: f.Path, Before: f.Before, After: f.Before})
		}
	}
	rest, _, ok, err := r.runWithout(ctx, "their tests that compile", s, r.codeOnly(), old, gate.Alone(r.Checker.wide(s.Gate), gate.TestsOf(found))[0], report.Findings)
	if err != nil || !ok {
		return found, err
	}
	return slices.DeleteFunc(found, func(f gate.Finding) bool { return slices.Contains(rest.PassedTests, f.Test) }), nil
}

// redBeside handles rewritten tests that did not run on the old code, or only next to tests that do not compile there: it runs them
// without those. Their failure counts if their original text passes there alone.
func (r *regression) redBeside(ctx context.Context, s integrity.Suite, found []gate.Finding, red integrity.Red) (integrity.Red, error) {
	only := r.notSeen(r.evidence(s, red), found)
	if len(only) == 0 || s.Without == nil || !red.Part && len(gate.Unnamed(red.Faults)) == 0 {
		return red, nil
	}
	scope := gate.Alone(r.Checker.wide(s.Gate), only)[0]
	asTheyWere, err := r.run(ctx, "their tests alone", s.Gate, r.Folder(), scope)
	if err != nil || asTheyWere.Verdict != gate.Pass {
		return red, err
	}
	report, faults, ok, err := r.runWithout(ctx, "new tests that compile on old code", s, patch.ChangeSet{}, r.testsOnly(), scope, red.Faults)
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

// notSeen returns the rewritten tests of found that pass now and have no result on the old code.
func (r *regression) notSeen(e evidence, found []gate.Finding) (tests []string) {
	for _, f := range found {
		if f.Test != "" && r.rewritten.Touched(f.Test) && e.passes(f.Test) && !e.wasRed(f.Test) {
			tests = append(tests, f.Test)
		}
	}
	return tests
}

// maxWithout bounds how often code is removed from tests: a compiler reports some faults only after others are fixed.
const maxWithout = 8

// runWithout runs tests in a scope on the user's tree with a change of its code, without the parts of the tests that do not compile: first
// without the known faults, then without those found on the way, which it returns as more. ok is false if the rest is unknown.
func (r *regression) runWithout(ctx context.Context, stepName string, s integrity.Suite, code, tests patch.ChangeSet, scope gate.Scope, faults []gate.Finding) (report gate.Report, more []gate.Finding, ok bool, err error) {
	faults = gate.Unnamed(faults)
	for i := 0; i < maxWithout && ctx.Err() == nil; i++ {
		if tests, ok = s.WithoutFaults(tests, faults); !ok {
			return report, more, false, nil
		}
		if report, err = r.run(ctx, work.Again(stepName, i), s.Gate, r.Folder().With(code).With(tests), scope); err != nil {
			return report, more, false, err
		}
		if faults = gate.Unnamed(report.Findings); len(faults) == 0 {
			return report, more, report.Verdict == gate.Pass || report.Verdict == gate.Fail, nil
		}
		more = append(more, faults...)
	}
	return report, more, false, nil
}

// byName runs the original text of rewritten and removed tests, if their files differ only in tests: the results of the others are known, and an added
// one has no original. enough is false if one of them was not executed.
func (r *regression) byName(ctx context.Context, s integrity.Suite, before gate.Report) (report gate.Report, enough bool, err error) {
	tests := r.testsOnly()
	if !s.OnlyTests(tests) {
		return report, false, nil
	}
	scope := namedTests(s, tests)
	touched := scope.Named
	scope.Named = s.Originals(tests, touched)
	report = gate.Report{Gate: s.Gate, Verdict: gate.Pass, Tests: true}
	if len(scope.Named) > 0 {
		if report, err = r.run(ctx, "their tests by name", s.Gate, r.onTheirCode(), scope); err != nil {
			return report, false, err
		}
	}
	report = r.withOtherTests(report, r.result(s), touched)
	return report, executedAll(before, report, touched), nil
}

// namedTests returns the scope of the tests that a change rewrites, removes or adds in test files.
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

// withOtherTests adds the known results of all other passing tests to a report of some.
func (r *regression) withOtherTests(report, now gate.Report, named []string) gate.Report {
	for _, test := range now.PassedTests {
		if !r.rewritten.Touched(test) || !slices.Contains(named, integrity.Base(test)) {
			report.PassedTests = append(slices.Clip(report.PassedTests), test)
		}
	}
	slices.Sort(report.PassedTests)
	report.PassedTests = slices.Compact(report.PassedTests)
	return report
}

// executedAll reports whether tests with some names that passed before were executed, or could not be compiled.
func executedAll(before, report gate.Report, named []string) bool {
	if report.Verdict != gate.Pass && report.Verdict != gate.Fail {
		return false
	}
	return len(gate.Unnamed(report.Findings)) > 0 || !slices.ContainsFunc(before.PassedTests, func(test string) bool {
		if slices.Contains(report.PassedTests, test) || !slices.Contains(named, integrity.Base(test)) {
			return false
		}
		return !slices.ContainsFunc(report.Findings, func(f gate.Finding) bool { return integrity.Base(f.Test) == integrity.Base(test) })
	})
}
