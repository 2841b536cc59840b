// Package testkit has what suites of tests share: the choice of their cases, and the programs that they start.
//
// An expensive test takes all of its cases, or with -short a few, which are the same ones each time (Sample, Cases); it asserts the same of few
// cases as of many. The cases of tests that kill a process are the Failpoints of a package. Suites that drive the program start the one of Main.
package testkit

import (
	"maps"
	"slices"
	"testing"
)

// Cases is how many cases are tried where chance or a number makes them: few with -short, else all.
func Cases(few, all int) int {
	if testing.Short() {
		return few
	}
	return all
}

// Step is how far apart cases are that are counted through: every n-th with -short, else each.
func Step(n int) int { return Cases(n, 1) }

// Sample returns all cases, or with -short so many of them, spread evenly, the first one among them.
func Sample[T any](few int, cases []T) []T {
	if !testing.Short() || few >= len(cases) {
		return cases
	}
	return spread(few, cases)
}

func spread[T any](few int, cases []T) []T {
	chosen := make([]T, 0, few)
	for n := range few {
		chosen = append(chosen, cases[n*len(cases)/few])
	}
	return chosen
}

// SampleMap is Sample for cases by name, spread over the sorted names; those in always are among them.
func SampleMap[T any](few int, cases map[string]T, always ...string) map[string]T {
	chosen := map[string]T{}
	for _, name := range append(Sample(few, slices.Sorted(maps.Keys(cases))), always...) {
		chosen[name] = cases[name]
	}
	return chosen
}
