package integrity

import "slices"

// Red is what was seen of a suite before there was an implementation.
type Red struct {
	Gate  string   // the suite's
	Tests []string // that failed, by their names; none where they did not even compile
}

// Reds are what was seen of several suites, each once.
type Reds []Red

// Of are the tests of a suite, and whether something of it was seen at all.
func (all Reds) Of(gate string) (tests []string, was bool) {
	for _, red := range all {
		if red.Gate == gate {
			return red.Tests, true
		}
	}
	return nil, false
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
		both[at].Tests = union(both[at].Tests, red.Tests)
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
