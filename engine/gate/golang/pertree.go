package golang

import "sync"

// perTree keeps a value for each tree or file, by its path, and for the state in which it was. The nil pointer keeps nothing.
type perTree[T any] struct{ trees sync.Map }

type inState[T any] struct {
	state string // see stateOf
	value T
}

func (p *perTree[T]) keep(dir, state string, value T) {
	if p != nil {
		p.trees.Store(dir, inState[T]{state, value})
	}
}

// of returns the value of a tree in a state; the zero value if that is not known.
func (p *perTree[T]) of(dir, state string) (value T, known bool) {
	if p == nil {
		return value, false
	}
	last, _ := p.trees.Load(dir)
	if kept, is := last.(inState[T]); is && kept.state == state {
		return kept.value, true
	}
	return value, false
}
