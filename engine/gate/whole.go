package gate

import "slices"

// Trial runs a suite in a scope, on the tree with a change or on the one without it.
type Trial func(with bool, scope Scope) (Report, error)

// Whole judges a change by all of a suite of which a part has passed, with these rules:
//
//   - Failed tests without a baseline run on the tree without the change: those that fail there too are not charged.
//   - The others run again on the tree with the change, alone: those that pass then are flaky, and not charged.
//
// The report has the charged findings. The error is that of a trial.
func Whole(run Trial) (Report, error) {
	after, err := run(true, Scope{})
	if err != nil || after.Verdict != Fail {
		return after, err
	}
	before, err := without(run, after)
	if err != nil {
		return after, err
	}
	charged := Baseline([]Report{before}, []Report{after})[0]
	failing := testsIn(charged)
	if charged.Verdict != Fail || !charged.Decides() || slices.Contains(failing, "") {
		return charged, nil
	}
	for _, scope := range Alone(Scope{}, failing) {
		if scope.All() {
			break // more than can fail by chance, or they cannot be told apart
		}
		again, err := run(true, scope)
		if err != nil {
			return charged, err
		}
		if Conclusive(again, failing) {
			return Baseline([]Report{before}, []Report{Confirm(after, again)})[0], nil
		}
	}
	return charged, nil
}

// without returns a suite's report on the failures in the tree without the change: of their test files, or of everything if the
// failures have no names, are too many or cannot be selected.
func without(run Trial, after Report) (Report, error) {
	failing := testsIn(after)
	if len(failing) > 0 && len(failing) <= maxAlone && !slices.Contains(failing, "") {
		before, err := run(false, Scope{Only: failing, Files: true})
		if err != nil || ran(before) || before.Empty {
			return before, err
		}
	}
	return run(false, Scope{})
}

// testsIn returns the names of the tests with findings; the name is empty for a finding without a test.
func testsIn(r Report) (tests []string) {
	for _, f := range r.Findings {
		if !slices.Contains(tests, f.Test) {
			tests = append(tests, f.Test)
		}
	}
	return tests
}
