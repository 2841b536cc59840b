package gate

import "slices"

// maxAlone is how many tests are run by their names. More of them do not fail by chance, and would not fit into a command.
const maxAlone = 50

// Alone are the scopes in which tests that failed are run again, the narrowest first: themselves, then their files, then all that failed
// with them. The next one is for where the one before does not tell what became of them (Tells).
func Alone(scope Scope, tests []string) (scopes []Scope) {
	if n := len(tests); n > 0 && n <= maxAlone {
		scopes = append(scopes, Scope{Changed: scope.Changed, Reach: scope.Reach, Only: tests})
		scopes = append(scopes, Scope{Changed: scope.Changed, Reach: scope.Reach, Only: tests, Files: true})
	}
	return append(scopes, scope)
}

// Tells reports whether a second execution is an answer to whether tests fail: it failed as well, or each of them was executed and passed.
func Tells(again Report, tests []string) bool {
	if again.Verdict != Pass {
		return again.Verdict == Fail
	}
	return !slices.ContainsFunc(tests, func(test string) bool { return !slices.Contains(again.Held, test) })
}
