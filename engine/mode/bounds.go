package mode

import (
	"cmp"
	"fmt"
)

// Bounds limit how far a run goes. A zero leaves a bound to the next layer, and finally to Forge's default.
type Bounds struct {
	Hops     int // how often its graph may go back, for example from a review to the executor
	Tasks    int // nodes that run at once
	Writers  int // those of them that write changes
	Attempts int // attempts to write a change
	Rounds   int // rounds of requesting more context before anything is written; Never means none
	Fanout   int // levels of pieces that a part of a plan may be cut into; Never means that all of a part is one piece of work
	Sanity   int // parts of a plan after which its planner looks at it again; Never means that it does not
}

// Never is the value of a bound that the user has set to 0.
const Never = -1

// Or fills in the unset bounds of b.
func (b Bounds) Or(other Bounds) Bounds {
	for _, one := range AllBounds() {
		if now := one.of(&b); *now == 0 {
			*now = *one.of(&other)
		}
	}
	return b
}

// Bound is one of Bounds, as users set it.
type Bound struct {
	Setting     string // "graph.maxHops"
	Least, Most int
	of          func(*Bounds) *int
}

// The bounds.
var (
	Hops     = Bound{"graph.maxHops", 1, 1000, func(b *Bounds) *int { return &b.Hops }}
	Tasks    = Bound{"concurrency.tasks", 1, 64, func(b *Bounds) *int { return &b.Tasks }}
	Writers  = Bound{"concurrency.writers", 1, 64, func(b *Bounds) *int { return &b.Writers }}
	Attempts = Bound{"attempts", 1, 20, func(b *Bounds) *int { return &b.Attempts }}
	Rounds   = Bound{"explore.rounds", 0, 50, func(b *Bounds) *int { return &b.Rounds }}
	Fanout   = Bound{"fanout.depth", 0, 3, func(b *Bounds) *int { return &b.Fanout }}
	Sanity   = Bound{"plan.sanityEvery", 0, 60, func(b *Bounds) *int { return &b.Sanity }}
)

// AllBounds lists them.
func AllBounds() []Bound { return []Bound{Hops, Tasks, Writers, Attempts, Rounds, Fanout, Sanity} }

// Set sets the bound to the user's value. The error, a *RangeError, names the setting, the value and the range, and changes
// nothing.
func (b Bound) Set(all *Bounds, said int) error {
	if said < b.Least || said > b.Most {
		return &RangeError{Setting: b.Setting, Said: said, Least: b.Least, Most: b.Most}
	}
	said = cmp.Or(said, Never)
	*b.of(all) = said
	return nil
}

// Lower sets the bound to a folder's value, if that is not above the current one; usual applies if none is set. The error is a
// *RangeError, whose range ends at the current value.
func (b Bound) Lower(all *Bounds, usual Bounds, said int) error {
	holds := *b.of(all)
	if holds == 0 {
		holds = *b.of(&usual)
	}
	within := b
	if holds != 0 {
		within.Most = max(holds, 0)
	}
	return within.Set(all, said)
}

// RangeError means that a value is out of a bound's range.
type RangeError struct {
	Setting     string
	Said        int
	Least, Most int
}

func (e *RangeError) Error() string {
	if e.Least == e.Most {
		return fmt.Sprintf("%s: %d is out of range: it can only be %d", e.Setting, e.Said, e.Least)
	}
	return fmt.Sprintf("%s: %d is out of range: give %d to %d", e.Setting, e.Said, e.Least, e.Most)
}
