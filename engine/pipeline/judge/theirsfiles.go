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
