package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Failure is one check that failed, as gates report it.
type Failure struct {
	Gate   string // "go test"
	File   string
	Symbol string // the test, or the symbol
	Class  string // of the error: a rule's name, or a message
}

// ID names the failure in a way that survives edits elsewhere: numbers of lines and columns, addresses and
// durations are taken out.
func (f Failure) ID() string {
	parts := []string{f.Gate, f.File, f.Symbol, f.Class}
	for i, p := range parts {
		parts[i] = normalise(p)
	}
	return strings.Join(parts, " | ")
}

// volatile is what differs between two reports of the same failure: 0xc000123, 1.25s, ":12:5", "(12,5)",
// "line 12", "column 3", "L12".
var volatile = regexp.MustCompile(`(?i)0x[0-9a-f]+|\b\d+(\.\d+)?(ns|µs|ms|s)\b|:\d+(:\d+)?|\(\d+(,\s*\d+)?\)|\b(lines?|columns?|col)\s+\d+(\s*[-–]\s*\d+)?|\bL\d+\b`)

func normalise(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(volatile.ReplaceAllString(text, ""), "|", "/")), " ")
}

// Attempt is how one attempt of a node came out.
type Attempt struct {
	ID       ID
	Run      string
	Node     string
	Attempt  int // from 1
	Passed   int // checks
	Total    int
	Failures []string // ids of what failed (Failure.ID); a set
	Reason   string   // for the next attempt
	Class    string   // stuck, missing_context, blocked, or empty
	Source   Source
	At       time.Time
}

// Score is the share of checks that passed: passed over total, a total of at least one.
func (a Attempt) Score() float64 { return float64(a.Passed) / float64(max(1, a.Total)) }

// check refuses an attempt that no checks can have come to.
func (a Attempt) check() error {
	if a.Run == "" || a.Node == "" || a.Attempt < 1 || a.Passed < 0 || a.Total < a.Passed {
		return fmt.Errorf("%w: an attempt names its run, node and number, and passes no more checks than there are", ErrInvalid)
	}
	return a.Source.check()
}

// Recommendation is what to do after an attempt.
type Recommendation string

// The recommendations.
const (
	RecommendPass     Recommendation = "PASS"
	RecommendRetry    Recommendation = "RETRY_WITH_DEBUGGER"
	RecommendEscalate Recommendation = "ESCALATE"
)

// Assessment is what the attempts of a node say together.
type Assessment struct {
	Score          float64
	Velocity       float64 // score won per attempt, over the last four at most; 0 before there are three
	Same           bool    // the failures are those of the attempt before
	Oscillating    bool    // not the same, but the failures of an attempt two to four before
	Plateau        bool    // in the last two attempts no best score, and no failure resolved
	Stagnant       bool    // any of the three
	Recommendation Recommendation
}

// Assess judges the attempts of one node, oldest first. A node is stagnant when the set of what fails says
// so: it is the same again, it is an earlier one again, or nothing is better in two attempts. A score that
// stands still while other things fail is progress. No attempt at all is a retry.
func Assess(attempts []Attempt) Assessment {
	n := len(attempts)
	if n == 0 {
		return Assessment{Recommendation: RecommendRetry}
	}
	last := attempts[n-1]
	a := Assessment{Score: last.Score(), Velocity: velocity(attempts), Recommendation: RecommendRetry}
	if last.Total > 0 && last.Passed == last.Total && len(last.Failures) == 0 {
		a.Recommendation = RecommendPass // what is done is not stagnant
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

// velocity is (s_n − s_{n−w+1}) / (w−1) with w = min(n, 4), and 0 before there are three scores.
func velocity(attempts []Attempt) float64 {
	n := len(attempts)
	if n < 3 {
		return 0
	}
	w := min(n, 4)
	return (attempts[n-1].Score() - attempts[n-w].Score()) / float64(w-1)
}

// plateau reports whether the last two attempts brought neither a better score than all before, nor
// resolved any failure of the attempt before them.
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

// resolved reports whether something that failed before does not fail after.
func resolved(before, after Attempt) bool {
	return slices.ContainsFunc(before.Failures, func(id string) bool { return !slices.Contains(after.Failures, id) })
}

// sameFailures compares what failed, as sets. Two attempts that name no failure have nothing in common.
func sameFailures(a, b Attempt) bool {
	x, y := asSet(a.Failures), asSet(b.Failures)
	return len(x) > 0 && slices.Equal(x, y)
}

// asSet is sorted, and has nothing twice.
func asSet(ids []string) []string {
	set := slices.Clone(ids)
	slices.Sort(set)
	return slices.Compact(set)
}
