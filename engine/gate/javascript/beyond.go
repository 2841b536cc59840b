package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate"
)

// beyond returns those of the tests that a change concerns only because they use the changed code: in a wide scope, tests in files that a
// near scope would not run. It returns none if the files of a near scope are unknown.
func (t testScript) beyond(held []string, scope gate.Scope) (tests []string) {
	if scope.All() || scope.Reach != gate.ReachWide || len(scope.Only) > 0 {
		return nil
	}
	near := t.near(scope.Changed)
	if len(near) == 0 {
		return nil
	}
	for _, test := range held {
		if file, _, _ := strings.Cut(test, " > "); file != "" && file != "?" && !slices.Contains(near, file) {
			tests = append(tests, test)
		}
	}
	return tests
}

// near returns the files of tests that a near scope runs; none if they are unknown.
func (t testScript) near(changed []string) (near []string) {
	for _, step := range t.steps {
		switch step.kind {
		case stepStrange, stepShell:
			return nil // other tests may be started
		case stepTests:
			follows := func(r runner) bool { return r.program == step.call.Program && r.related != nil }
			chosen, ok := selected(t.project, step.call)
			if !ok || slices.ContainsFunc(runners, follows) {
				return nil
			}
			files, known := chosen.ConcernedBy(t.project, gate.Scope{Changed: changed, Reach: gate.ReachNear})
			if !known || len(files) == 0 {
				return nil
			}
			near = append(near, files...)
		}
	}
	return near
}
