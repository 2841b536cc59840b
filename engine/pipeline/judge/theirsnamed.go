package judge

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/patch"
)

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
