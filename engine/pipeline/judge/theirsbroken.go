package judge

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/patch"
)

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
