package memory

import (
	"fmt"
	"slices"
	"time"

	"forge/engine/overseer"
)

// Assessment is what the attempts of a node say together.
type Assessment = overseer.Assessment

// Attempt is how one attempt of a node came out.
type Attempt struct {
	ID       ID
	Run      string
	Node     string
	Attempt  int // from 1
	Passed   int // checks
	Total    int
	Failures []string // ids of what failed (overseer.Failure.ID); a set
	Reason   string   // why it was not accepted, for the next attempt; empty of one that was
	Class    string   // why the attempt before failed: stuck, missing_context, blocked, or empty
	Source   Source
	At       time.Time
}

// Score is the share of checks that passed: passed over total, a total of at least one.
func (a Attempt) Score() float64 { return a.outcome().Score() }

// Accepted reports whether every gate opened for it, and the review too: then it has no reason to be made again.
func (a Attempt) Accepted() bool { return a.Reason == "" }

func (a Attempt) outcome() overseer.Attempt {
	return overseer.Attempt{Passed: a.Passed, Total: a.Total, Failures: a.Failures}
}

// check refuses an attempt that no checks can have come to.
func (a Attempt) check() error {
	if a.Run == "" || a.Node == "" || a.Attempt < 1 || a.Passed < 0 || a.Total < a.Passed {
		return fmt.Errorf("%w: an attempt names its run, node and number, and passes no more checks than there are", ErrInvalid)
	}
	return a.Source.check()
}

// Assess judges the attempts of one node, oldest first; see overseer.Assess.
func Assess(attempts []Attempt) Assessment {
	outcomes := make([]overseer.Attempt, len(attempts))
	for i, a := range attempts {
		outcomes[i] = a.outcome()
	}
	return overseer.Assess(outcomes)
}

// asSet is sorted, and has nothing twice.
func asSet(ids []string) []string {
	set := slices.Clone(ids)
	slices.Sort(set)
	return slices.Compact(set)
}
