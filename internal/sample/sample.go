// Package sample chooses the cases of expensive tests: all of them, or with -short a few, which are the same ones each
// time. A test asserts the same of few cases as of many. The cases of tests that kill a process are Places in the source.
package sample

import (
	"maps"
	"slices"
	"testing"
)

// Count is how many cases are tried where chance or a number makes them: few with -short, else all.
func Count(few, all int) int {
	if testing.Short() {
		return few
	}
	return all
}

// Step is how far apart cases are that are counted through: every n-th with -short, else each.
func Step(n int) int { return Count(n, 1) }

// Of returns all cases, or with -short so many of them, spread evenly, the first one among them.
func Of[T any](few int, cases []T) []T {
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

// OfMap is Of for cases by name, spread over the sorted names; those in always are among them.
func OfMap[T any](few int, cases map[string]T, always ...string) map[string]T {
	chosen := map[string]T{}
	for _, name := range append(Of(few, slices.Sorted(maps.Keys(cases))), always...) {
		chosen[name] = cases[name]
	}
	return chosen
}
