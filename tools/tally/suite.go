package main

import (
	"cmp"
	"slices"
)

// count is how many tests of a suite ended how.
type count struct {
	Passed, Failed, Skipped int
}

// timing is how long a test or a package took.
type timing struct {
	Name    string
	Seconds float64
}

// summary is what a suite's output says; count writes it as JSON, and sum reads it.
type summary struct {
	count
	NotRun   []string // "NAME: reason" of the parts that the suite left out
	Tests    []timing // the slowest, slowest first
	Packages []timing
}

// slowest is how many tests, and how many packages, are named at the end.
const slowest = 10

// slow keeps the slowest of a list.
func slow(all []timing) []timing {
	slices.SortFunc(all, func(a, b timing) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), slowest)]
}
