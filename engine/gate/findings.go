package gate

import (
	"slices"
	"strings"
)

// TestsOf returns the tests that findings are about, one for each; empty for a finding about none.
func TestsOf(found []Finding) (tests []string) {
	for _, f := range found {
		tests = append(tests, f.Test)
	}
	return tests
}

// MessagesOf returns the messages of findings.
func MessagesOf(found []Finding) (all []string) {
	for _, f := range found {
		all = append(all, f.Message)
	}
	return all
}

// Unnamed returns the findings without a test: compile errors.
func Unnamed(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Test != "" })
}

// Cases leaves out findings about tests that fail because one of their cases does (subtests of Go), which has a finding of its own.
func Cases(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool {
		return f.Test != "" && slices.ContainsFunc(found, func(one Finding) bool { return strings.HasPrefix(one.Test, f.Test+"/") })
	})
}
