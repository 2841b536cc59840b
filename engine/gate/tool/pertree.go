package tool

import "sync"

// PerTree keeps a value for each tree or file, by its path, and for the state in which it was. The nil pointer keeps nothing.
type PerTree[T any] struct{ trees sync.Map }

type inState[T any] struct {
	state string
	value T
}

// Keep keeps the value of a tree in a state, instead of that in another one.
func (p *PerTree[T]) Keep(dir, state string, value T) {
	if p != nil {
		p.trees.Store(dir, inState[T]{state, value})
	}
}

// Of returns the value of a tree in a state; the zero value if that is not known.
func (p *PerTree[T]) Of(dir, state string) (value T, known bool) {
	if p == nil {
		return value, false
	}
	last, _ := p.trees.Load(dir)
	if kept, is := last.(inState[T]); is && kept.state == state {
		return kept.value, true
	}
	return value, false
}
