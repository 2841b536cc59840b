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
	rewritten, examples := r.rewritten, r.replacedExamples()
	if len(examples) > 0 {
		rewritten = r.Run.Project.Suites.WithoutExamples().Rewritten(r.Now.Changes)
	}
	r.replaceInCode(examples, "the documentation")
	for _, f := range r.unnamed().Files {
		file := integrity.Origin(f)
		if r.Run.Project.IsTest(file) {
			continue
		}
		replaced := slices.DeleteFunc(r.replacedIn(file), integrity.IsExample)
		if rewritten.Outside(file, replaced) {
			r.said.Findings = append(r.said.Findings, gate.Finding{Path: file, Line: 1, Severity: gate.SeverityError, Rule: integrity.RuleRegression,
				Message: fmt.Sprintf("the change takes something out of the tests in %s", file)})
			continue
		}
		r.replaceInCode(replaced, file)
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
			return integrity.IsExample(test) || !rewritten.Touched(test) || !rewritten.Restates(test) || slices.Contains(replaced, test)
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
		failed := integrity.Failing(report.Findings)
		r.said.Executed += len(tests) - len(integrity.Beyond(tests, slices.Concat(report.Held, failed)))
		for _, test := range slices.DeleteFunc(tests, func(test string) bool { return !slices.Contains(failed, test) }) {
			r.said.Findings = append(r.said.Findings, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " passes as it is today, and would fail with this change"})
		}
	}
	return nil
}

// replaceInCode adds replaced tests of code.
func (r *regression) replaceInCode(tests []string, where string) {
	for _, test := range tests {
		r.replaced = append(r.replaced, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
			Message: test + " in " + where + " passes as it is today, and states something else with this change"})
	}
}

// replacedExamples returns the examples in documentation that the tests of the run have replaced, if each one that they have changed or added
// was seen to fail on the old code and passes now, and none is missing; otherwise none. Their names do not tell them apart: an example that
// stays passes on the old code, so that it is enough to count.
func (r *regression) replacedExamples() (tests []string) {
	written := r.asTested()
	gone, fresh := r.Run.Project.Suites.Examples(written)
	if gone == 0 || gone > fresh {
		return nil
	}
	for _, s := range r.Run.Project.Suites.In(written) {
		red, _ := r.Tests.AllRed().At(s.Gate)
		for _, test := range red.Tests {
			if integrity.IsExample(test) && slices.Contains(r.result(s).Held, test) && !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if fresh > len(tests) {
		return nil
	}
	return slices.DeleteFunc(tests, func(test string) bool { return len(tests) > gone && !r.heldBefore(test) })
}

// heldBefore reports whether a test passed before the run.
func (r *regression) heldBefore(test string) bool {
	return slices.ContainsFunc(r.Run.Project.Suites, func(s integrity.Suite) bool { return slices.Contains(r.Checker.before(s.Gate).Held, test) })
}

// asTested returns the change as it was when its tests had been written: the implementation may add examples, and take none away.
func (r *regression) asTested() (all patch.ChangeSet) {
	before := slices.Clone(r.Start.Given.Files)
	if r.Tests.Written != nil {
		before = slices.Concat(r.Tests.Written.Files, before)
	}
	for _, f := range r.Now.Changes.Files {
		at := slices.IndexFunc(before, func(w patch.FileChange) bool { return w.Path == f.Path })
		switch {
		case at >= 0:
			f.After = before[at].After
		case r.Job.Way().RedTests:
			continue
		}
		all.Files = append(all.Files, f)
	}
	return all
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
