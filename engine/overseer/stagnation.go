package overseer

import (
	"slices"

	"forge/engine/gate"
)

// Attempt is the result of one attempt.
type Attempt struct {
	Passed   int // checks
	Total    int
	Failures []string // ids of failures (Failure.ID); a set
}

// AttemptOf returns the result of an attempt from all gate reports on it. Each executed check counts. A failed gate without
// executed checks, or whose checks all passed, counts as one failed check.
func AttemptOf(reports []gate.Report) Attempt {
	var a Attempt
	for _, r := range reports {
		executed, passed := max(r.Executed, 1), min(r.Passed, r.Executed)
		switch {
		case r.Verdict == gate.Pass:
			passed = executed
		case passed == executed:
			executed++
		}
		a.Passed, a.Total = a.Passed+passed, a.Total+executed
	}
	for _, f := range FailuresOf(reports) {
		a.Failures = append(a.Failures, f.ID())
	}
	return a
}

// Score is the share of passed checks: passed over total, with a total of at least one.
func (a Attempt) Score() float64 { return float64(a.Passed) / float64(max(1, a.Total)) }

// Recommendation is what to do after an attempt.
type Recommendation string

// The recommendations.
const (
	RecommendPass     Recommendation = "PASS"
	RecommendRetry    Recommendation = "RETRY_WITH_DEBUGGER"
	RecommendEscalate Recommendation = "ESCALATE"
)

// Assessment is the combined result of the attempts of a node.
type Assessment struct {
	Score          float64
	Velocity       float64 // gain of score per attempt, over at most the last four; 0 with fewer than three
	Same           bool    // the failures are those of the previous attempt
	Oscillating    bool    // not the same, but the failures of an attempt two to four before
	Plateau        bool    // in the last two attempts no best score, and no failure resolved
	Stagnant       bool    // any of the three
	Recommendation Recommendation
}

// Assess judges the attempts of one node, oldest first. A node is stagnant if the set of failures shows
// it: the same set again, an earlier set again, or no improvement in two attempts. A constant score with
// different failures is progress. Without attempts, the recommendation is a retry.
func Assess(attempts []Attempt) Assessment {
	n := len(attempts)
	if n == 0 {
		return Assessment{Recommendation: RecommendRetry}
	}
	last := attempts[n-1]
	a := Assessment{Score: last.Score(), Velocity: velocity(attempts), Recommendation: RecommendRetry}
	if last.Total > 0 && last.Passed == last.Total && len(last.Failures) == 0 {
		a.Recommendation = RecommendPass // a finished node is not stagnant
		return a
	}
	a.Same = n >= 2 && sameFailures(last, attempts[n-2])
	for back := 2; back <= 4 && back < n && !a.Same; back++ {
		a.Oscillating = a.Oscillating || sameFailures(last, attempts[n-1-back])
	}
	a.Plateau = plateau(attempts)
	a.Stagnant = a.Same || a.Oscillating || a.Plateau
	if a.Stagnant {
		a.Recommendation = RecommendEscalate
	}
	return a
}

// velocity returns (s_n − s_{n−w+1}) / (w−1) with w = min(n, 4), and 0 with fewer than three scores.
func velocity(attempts []Attempt) float64 {
	n := len(attempts)
	if n < 3 {
		return 0
	}
	w := min(n, 4)
	return (attempts[n-1].Score() - attempts[n-w].Score()) / float64(w-1)
}

// plateau reports whether the last two attempts neither improved the best score, nor resolved a failure of the attempt before them.
func plateau(attempts []Attempt) bool {
	n := len(attempts)
	if n < 3 {
		return false
	}
	best := func(of []Attempt) (score float64) {
		for _, a := range of {
			score = max(score, a.Score())
		}
		return score
	}
	if best(attempts[n-2:]) > best(attempts[:n-2]) {
		return false
	}
	return !resolved(attempts[n-3], attempts[n-2]) && !resolved(attempts[n-2], attempts[n-1])
}

// resolved reports whether a failure before is gone after.
func resolved(before, after Attempt) bool {
	return slices.ContainsFunc(before.Failures, func(id string) bool { return !slices.Contains(after.Failures, id) })
}

// sameFailures compares failures as sets. Two attempts without named failures are different.
func sameFailures(a, b Attempt) bool {
	x, y := slices.Compact(slices.Sorted(slices.Values(a.Failures))), slices.Compact(slices.Sorted(slices.Values(b.Failures)))
	return len(x) > 0 && slices.Equal(x, y)
}
