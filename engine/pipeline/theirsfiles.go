package pipeline

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/patch"
)

// asTheyWere runs the tests as they were on the code of the change. Where the whole suite has just passed with the change, those are run that the
// changed files of tests concern: the others are the same, on the same code, and what they say is known. What does not pass in there is
// looked at in the whole suite.
func (r *regression) asTheyWere(ctx context.Context, s integrity.Suite) (gate.Report, error) {
	tests := patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.changes.Files), func(f patch.FileChange) bool { return !r.isTestFile(f) })}
	if now := r.now(s); now.Verdict == gate.Pass && len(now.Held) > 0 && len(tests.Files) > 0 && !r.narrow(s.Gate) {
		scope := gate.Scope{Changed: scopePaths(tests), Reach: gate.ReachWide}
		report, err := r.runGateIn(ctx, r.node, "their tests", s.Gate, r.onTheirCode(), scope)
		if err != nil || r.isAsBefore(s, report) {
			return r.withOthers(report, now), err
		}
	}
	return r.runGateIn(ctx, r.node, "all their tests", s.Gate, r.onTheirCode(), r.wide(s.Gate))
}

// onTheirCode is the code of the change with all tests as they were.
func (r *regression) onTheirCode() step.State {
	return r.base().With(patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.changes.Files), r.isTestFile)})
}

// isAsBefore reports whether nothing fails but tests that did before the run.
func (r *regression) isAsBefore(s integrity.Suite, report gate.Report) bool {
	failed := integrity.Failing(r.before(s.Gate).Findings)
	return report.Verdict == gate.Pass || report.Verdict == gate.Fail && !slices.ContainsFunc(report.Findings, func(f gate.Finding) bool {
		return f.Blocks() && !slices.Contains(failed, f.Test)
	})
}

// withOthers adds what is known of tests in files that the change leaves as they are.
func (r *regression) withOthers(report, now gate.Report) gate.Report {
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
