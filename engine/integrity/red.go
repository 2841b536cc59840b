package integrity

import (
	"slices"

	"forge/engine/gate"
)

// Red is what was seen of a suite before there was an implementation.
type Red struct {
	Gate  string   // the suite's
	Tests []string // that failed, by their names; none where they did not even compile
	// Broken is that some tests did not compile or could not be collected: which they are has no names.
	Broken bool `json:",omitempty"`
	// Part is that tests which may fail as well were not run.
	Part bool `json:",omitempty"`
	// Faults are what was found: what did not compile, and how tests failed.
	Faults []gate.Finding `json:",omitempty"`
}

// Reds are what was seen of several suites, each once.
type Reds []Red

// At is what was seen of a suite, and whether something was.
func (all Reds) At(gate string) (red Red, was bool) {
	for _, red := range all {
		if red.Gate == gate {
			return red, true
		}
	}
	return Red{Gate: gate}, false
}

// Of are the tests of a suite, and whether something of it was seen at all.
func (all Reds) Of(gate string) (tests []string, was bool) {
	red, was := all.At(gate)
	return red.Tests, was
}

// Broken reports whether tests of a suite were seen not to compile.
func (all Reds) Broken(gate string) bool {
	red, _ := all.At(gate)
	return red.Broken
}

// With are the tests of both, suite by suite.
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
