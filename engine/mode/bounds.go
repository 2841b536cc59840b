package mode

import "fmt"

// Bounds are how far a run goes at most. A zero leaves a bound to whoever is asked next, and in the end to Forge's own default.
type Bounds struct {
	Hops     int // how often its graph may go back, such as from a review to the executor
	Tasks    int // nodes that work at once
	Writers  int // of them, those that write changes
	Attempts int // to write a change
	Rounds   int // of asking what else must be read before anything is written; Never is none
}

// Never is the value of a bound that the user has set to 0.
const Never = -1

// Or fills up what b leaves open.
func (b Bounds) Or(other Bounds) Bounds {
	for _, one := range AllBounds() {
		if now := one.of(&b); *now == 0 {
			*now = *one.of(&other)
		}
	}
	return b
}

// Bound is one of Bounds, as people set it.
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
)

// AllBounds lists them.
func AllBounds() []Bound { return []Bound{Hops, Tasks, Writers, Attempts, Rounds} }

// Set sets the bound to what the user has said. The error, a *RangeError, names the setting, the value and the range; all stays as
// it is then.
func (b Bound) Set(all *Bounds, said int) error {
	if said < b.Least || said > b.Most {
		return &RangeError{Setting: b.Setting, Said: said, Least: b.Least, Most: b.Most}
	}
	if said == 0 {
		said = Never
	}
	*b.of(all) = said
	return nil
}

// Lower sets the bound to what a folder asks for, if that is no more than what holds; usual is what holds where nobody has said
// anything. The error is a *RangeError here, too: for a folder the range ends at what holds.
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

// RangeError says that a bound cannot be what the user has set it to, and what it can be.
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
