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

// inCode is the part of a check that is about tests in files of code.
type inCode struct{ r *regression }

// compare handles code files whose tests are altered. A replaced test was seen to fail on the old code and passes now, under its
// name; other losses are weakened tests. A test that only got more lines must pass without them.
func (c inCode) compare(ctx context.Context) step.Outcome {
	rewritten, examples := c.r.rewritten, c.replacedExamples()
	if len(examples) > 0 {
		rewritten = c.r.Run.Project.Suites.WithoutExamples().Rewritten(c.r.Now.Changes)
	}
	c.replace(examples, "the documentation")
	for _, f := range c.r.unnamed().Files {
		file := integrity.Origin(f)
		if c.r.Run.Project.IsTest(file) {
			continue
		}
		replaced := slices.DeleteFunc(c.replacedIn(file), integrity.IsExample)
		if rewritten.Outside(file, replaced) {
			c.r.said.Findings = append(c.r.said.Findings, gate.Finding{Path: file, Line: 1, Severity: gate.SeverityError, Rule: integrity.RuleRegression,
				Message: fmt.Sprintf("the change takes something out of the tests in %s", file)})
			continue
		}
		c.replace(replaced, file)
		if err := c.run(ctx, f, replaced); err != nil {
			return work.Unable(ctx, err)
		}
	}
	return step.Outcome{}
}

// run runs the tests of a code file to which the change adds lines as they were, within the changed code. Where they do not compile
// there, nothing is known of them.
func (c inCode) run(ctx context.Context, f patch.FileChange, replaced []string) error {
	one := patch.ChangeSet{Files: []patch.FileChange{f}}
	rewritten := c.r.Run.Project.Suites.Rewritten(one)
	theirs, ok := c.r.Run.Project.Suites.WithOriginalTests(f)
	for _, s := range c.r.Run.Project.Suites.In(one) {
		tests := slices.DeleteFunc(slices.Clone(c.r.Checker.before(s.Gate).PassedTests), func(test string) bool {
			return integrity.IsExample(test) || !rewritten.Touched(test) || !rewritten.Restates(test) || slices.Contains(replaced, test)
		})
		if len(tests) == 0 {
			continue
		}
		if !ok {
			c.unable(f.Path, "the change puts them in other places")
			continue
		}
		changes := patch.ChangeSet{Files: slices.Clone(c.r.Now.Changes.Files)}
		changes.Files[slices.IndexFunc(changes.Files, func(c patch.FileChange) bool { return c.Path == f.Path })] = theirs
		report, err := c.r.run(ctx, "their tests in "+f.Path, s.Gate, c.r.Folder().With(changes), gate.Alone(c.r.Checker.wide(s.Gate), tests)[0])
		if err != nil {
			return err
		}
		failed := integrity.Failing(report.Findings)
		if !conclusive(report) {
			c.r.unable = true
			c.unable(f.Path, report.Summary)
			continue
		}
		c.r.said.Executed += len(tests) - len(integrity.Beyond(tests, slices.Concat(report.PassedTests, failed)))
		for _, test := range slices.DeleteFunc(tests, func(test string) bool { return !slices.Contains(failed, test) }) {
			c.r.said.Findings = append(c.r.said.Findings, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " passes as it is today, and would fail with this change"})
		}
	}
	return nil
}

// unable adds a finding about a file whose tests could not be run as they were.
func (c inCode) unable(file, why string) {
	c.r.said.Findings = append(c.r.said.Findings, gate.Finding{Path: file, Line: 1, Severity: gate.SeverityError, Rule: integrity.RuleRegression,
		Message: fmt.Sprintf("the tests in %s pass as they are today, and could not be run with this change: %s", file, why)})
}

// replace adds replaced tests of code.
func (c inCode) replace(tests []string, where string) {
	for _, test := range tests {
		c.r.replaced = append(c.r.replaced, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
			Message: test + " in " + where + " passes as it is today, and states something else with this change"})
	}
}

// replacedExamples returns the examples in documentation that the tests of the run have replaced, if each one that they have changed or added
// was seen to fail on the old code and passes now, and none is missing; otherwise none. Names do not identify examples, so it compares their
// numbers: an example that stays passes on the old code.
func (c inCode) replacedExamples() (tests []string) {
	written := c.asTested()
	gone, fresh := c.r.Run.Project.Suites.Examples(written)
	if gone == 0 || gone > fresh {
		return nil
	}
	for _, s := range c.r.Run.Project.Suites.In(written) {
		red, _ := c.r.Tests.AllRed().At(s.Gate)
		for _, test := range red.Tests {
			if integrity.IsExample(test) && slices.Contains(c.r.result(s).PassedTests, test) && !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if fresh > len(tests) {
		return nil
	}
	return slices.DeleteFunc(tests, func(test string) bool { return len(tests) > gone && !c.heldBefore(test) })
}

// heldBefore reports whether a test passed before the run.
func (c inCode) heldBefore(test string) bool {
	return slices.ContainsFunc(c.r.Run.Project.Suites, func(s integrity.Suite) bool { return slices.Contains(c.r.Checker.before(s.Gate).PassedTests, test) })
}

// asTested returns the change as it was when its tests had been written: the implementation may add examples, and take none away.
func (c inCode) asTested() (all patch.ChangeSet) {
	before := slices.Clone(c.r.Start.Given.Files)
	if c.r.Tests.Written != nil {
		before = slices.Concat(c.r.Tests.Written.Files, before)
	}
	for _, f := range c.r.Now.Changes.Files {
		at := slices.IndexFunc(before, func(w patch.FileChange) bool { return w.Path == f.Path })
		switch {
		case at >= 0:
			f.After = before[at].After
		case c.r.Job.Way().RedTests:
			continue
		}
		all.Files = append(all.Files, f)
	}
	return all
}

// replacedIn returns the tests in a code file that passed before, whose new text was seen to fail on the old code, and that pass now.
func (c inCode) replacedIn(file string) (tests []string) {
	altered := c.r.altered
	altered.Files = slices.DeleteFunc(slices.Clone(altered.Files), func(f patch.FileChange) bool { return integrity.Origin(f) != file })
	rewritten := c.r.Run.Project.Suites.Rewritten(altered)
	for _, s := range c.r.Run.Project.Suites.In(altered) {
		before := c.r.Checker.before(s.Gate)
		red, was := c.r.Tests.AllRed().At(s.Gate)
		if !was { // no tests were written first, so they did not run on the old code
			continue
		}
		e := evidence{rewritten: rewritten, red: red,
			now: c.r.result(s), before: before, keeps: !c.r.Job.Recipe().TestsFirst()}
		for _, test := range before.PassedTests {
			if rewritten.Touched(test) && !slices.Contains(tests, test) && e.replaces(test) {
				tests = append(tests, test)
			}
		}
	}
	return tests
}
