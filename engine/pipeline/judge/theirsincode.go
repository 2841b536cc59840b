package judge

import (
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/patch"
)

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
