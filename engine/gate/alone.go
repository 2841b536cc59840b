package gate

import "slices"

// maxAlone limits how many tests run by name. More tests than that do not fail by chance, and their names would not fit on a
// command line.
const maxAlone = 50

// Alone returns the scopes in which failed tests run again, the narrowest first: the tests themselves, then their files, then
// everything that failed. The next scope is used if the previous one gives no answer (Conclusive).
func Alone(scope Scope, tests []string) (scopes []Scope) {
	if n := len(tests); n > 0 && n <= maxAlone {
		scopes = append(scopes, Scope{Changed: scope.Changed, Reach: scope.Reach, Only: tests})
		scopes = append(scopes, Scope{Changed: scope.Changed, Reach: scope.Reach, Only: tests, Files: true})
	}
	return append(scopes, scope)
}

// Conclusive reports whether a second execution shows whether tests fail: it failed as well, or each of them was executed and passed.
func Conclusive(again Report, tests []string) bool {
	if again.Verdict != Pass {
		return again.Verdict == Fail
	}
	return !slices.ContainsFunc(tests, func(test string) bool { return !slices.Contains(again.PassedTests, test) })
}
