package judge

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// compareInCode handles code files whose tests are altered. A replaced test was seen to fail on the old code and passes now, under its
// name; other losses are weakened tests. A test that only got more lines must pass without them.
func (r *regression) compareInCode(ctx context.Context) step.Outcome {
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
		if err := r.runInCode(ctx, f, replaced); err != nil {
			return work.Unable(ctx, err)
		}
	}
	return step.Outcome{}
}

// runInCode runs the tests of a code file to which the change adds lines as they were, within the changed code. Where they do not compile
// there, nothing is known of them.
func (r *regression) runInCode(ctx context.Context, f patch.FileChange, replaced []string) error {
	one := patch.ChangeSet{Files: []patch.FileChange{f}}
	rewritten := r.Run.Project.Suites.Rewritten(one)
	theirs, ok := r.Run.Project.Suites.WithOriginalTests(f)
	for _, s := range r.Run.Project.Suites.In(one) {
		tests := slices.DeleteFunc(slices.Clone(r.Checker.before(s.Gate).Held), func(test string) bool {
			return !rewritten.Touched(test) || !rewritten.Restates(test) || slices.Contains(replaced, test)
		})
		if !ok || len(tests) == 0 {
			continue
		}
		changes := patch.ChangeSet{Files: slices.Clone(r.Now.Changes.Files)}
		changes.Files[slices.IndexFunc(changes.Files, func(c patch.FileChange) bool { return c.Path == f.Path })] = theirs
		report, err := r.gates.runGateIn(ctx, r.node, "their tests in "+f.Path, s.Gate, r.Run.Folder().With(changes), gate.Alone(r.Checker.wide(s.Gate), tests)[0])
		if err != nil {
			return err
		}
		r.said.Executed += len(tests)
		failed := integrity.Failing(report.Findings)
		for _, test := range slices.DeleteFunc(tests, func(test string) bool { return !slices.Contains(failed, test) }) {
			r.said.Findings = append(r.said.Findings, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " passes as it is today, and would fail with this change"})
		}
	}
	return nil
}

// replacedIn returns the tests in a code file that passed before, whose new text was seen to fail on the old code, and that pass now.
func (r *regression) replacedIn(file string) (tests []string) {
	altered := r.altered
	altered.Files = slices.DeleteFunc(slices.Clone(altered.Files), func(f patch.FileChange) bool { return integrity.Origin(f) != file })
	rewritten := r.Run.Project.Suites.Rewritten(altered)
	for _, s := range r.Run.Project.Suites.In(altered) {
		before := r.Checker.before(s.Gate)
		red, was := r.Tests.AllRed().At(s.Gate)
		if !was { // no tests were written first, so they did not run on the old code
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
