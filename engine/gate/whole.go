package gate

import "slices"

// Trial runs a suite in a scope, on the tree with a change or on the one without it.
type Trial func(with bool, scope Scope) (Report, error)

// Whole judges a change by all of a suite of which a part has passed, by the rules for any part of it:
//
//   - What fails is run on the tree without the change, for which nothing was measured there: what fails there too is not charged.
//   - What is left is run once more on the tree with it, alone: what passes then is flaky, and not charged.
//
// Findings are those that the change is charged with. The error is that of a trial.
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
		if Tells(again, failing) {
			return Baseline([]Report{before}, []Report{Confirm(after, again)})[0], nil
		}
	}
	return charged, nil
}

// without is what a suite says of what fails on the tree without the change: of the files of these tests, else, where they have no names, are too many
// or cannot be run so, of everything.
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

// testsIn are the names of the tests that findings are of, an empty one where a finding is of none.
func testsIn(r Report) (tests []string) {
	for _, f := range r.Findings {
		if !slices.Contains(tests, f.Test) {
			tests = append(tests, f.Test)
		}
	}
	return tests
}
