package engine

import "sync"

// opened are things that an engine makes once for each key, and gives up when it is closed. Its zero value is empty.
type opened[K comparable, V any] struct {
	mu     sync.Mutex // guards what follows
	all    map[K]V
	closed bool
}

// once gives what is there for a key, or else what first gives, which is quick. It is false after close.
func (o *opened[K, V]) once(key K, first func() V) (v V, fresh, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return v, false, false
	}
	if v, known := o.all[key]; known {
		return v, false, true
	}
	if o.all == nil {
		o.all = map[K]V{}
	}
	v = first()
	o.all[key] = v
	return v, true, true
}

// close gives all that was made. Nothing is made afterwards.
func (o *opened[K, V]) close() map[K]V {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.all
	o.all, o.closed = nil, true
	return all
}
