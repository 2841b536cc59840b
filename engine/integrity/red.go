package integrity

import (
	"slices"

	"forge/engine/gate"
)

// Red is the state of a suite before there was an implementation.
type Red struct {
	Gate  string   // the suite's
	Tests []string // names of the failed tests; none if they did not compile
	// Broken means that some tests did not compile or could not be collected, so that their names are unknown.
	Broken bool `json:",omitempty"`
	// Part means that other tests that may fail did not run.
	Part bool `json:",omitempty"`
	// Faults are the findings: compile errors, and failures of tests.
	Faults []gate.Finding `json:",omitempty"`
}

// Reds are the states of several suites, each once.
type Reds []Red

// At returns the state of a suite, and whether it is known.
func (all Reds) At(gate string) (red Red, was bool) {
	for _, red := range all {
		if red.Gate == gate {
			return red, true
		}
	}
	return Red{Gate: gate}, false
}

// Of returns the tests of a suite, and whether its state is known.
func (all Reds) Of(gate string) (tests []string, was bool) {
	red, was := all.At(gate)
	return red.Tests, was
}

// Broken reports whether tests of a suite were seen not to compile.
func (all Reds) Broken(gate string) bool {
	red, _ := all.At(gate)
	return red.Broken
}

// With returns the tests of both, suite by suite.
func (all Reds) With(more ...Red) Reds {
	both := slices.Clone(all)
	for _, red := range more {
		at := slices.IndexFunc(both, func(r Red) bool { return r.Gate == red.Gate })
		if at < 0 {
			both = append(both, red)
			continue
		}
		both[at].Part = both[at].Part || red.Part
		both[at].Faults = slices.Concat(both[at].Faults, red.Faults)
		both[at].Tests, both[at].Broken = union(both[at].Tests, red.Tests), both[at].Broken || red.Broken
	}
	return both
}

func union(a, b []string) []string {
	both := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(both, s) {
			both = append(both, s)
		}
	}
	return both
}
