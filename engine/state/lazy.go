package state

import (
	"errors"
	"sync"
)

// ErrClosed is the error of everything that is asked for after Close.
var ErrClosed = errors.New("forge is shutting down")

// Lazy holds values that are opened on first use, once for each key, and closed together. Callers that ask for a key while its value is
// being opened wait for that one opening; where it fails, the next caller tries again. The zero value is ready to use.
type Lazy[K comparable, V any] struct {
	mu     sync.Mutex // guards what follows; it is not held while a value is opened
	values map[K]*opening[V]
	closed bool
}

// opening is one attempt to open a value.
type opening[V any] struct {
	open  func() (V, error) // at most once
	ready bool              // it succeeded; guarded by Lazy.mu
}

// Get returns the value of a key, and opens it first where it is not open. The error is that of open, or ErrClosed.
func (l *Lazy[K, V]) Get(key K, open func() (V, error)) (v V, err error) {
	o, err := l.begin(key, open)
	if err != nil {
		return v, err
	}
	v, err = o.open()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.values[key] == o {
		delete(l.values, key)
	}
	o.ready = err == nil
	return v, err
}

func (l *Lazy[K, V]) begin(key K, open func() (V, error)) (*opening[V], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if o, found := l.values[key]; found {
		return o, nil
	}
	if l.values == nil {
		l.values = map[K]*opening[V]{}
	}
	o := &opening[V]{open: sync.OnceValues(open)}
	l.values[key] = o
	return o, nil
}

// Opened returns the value of a key if it is open now. It does not wait.
func (l *Lazy[K, V]) Opened(key K) (v V, ok bool) {
	l.mu.Lock()
	o, found := l.values[key]
	ok = found && o.ready
	l.mu.Unlock()
	if ok {
		v, _ = o.open()
	}
	return v, ok
}

// Keys returns the keys whose values are open now, in no order.
func (l *Lazy[K, V]) Keys() []K {
	l.mu.Lock()
	defer l.mu.Unlock()
	var keys []K
	for key, o := range l.values {
		if o.ready {
			keys = append(keys, key)
		}
	}
	return keys
}

// Close passes each value to end, those that are being opened as soon as they are open. Nothing is opened afterwards.
func (l *Lazy[K, V]) Close(end func(K, V)) {
	l.mu.Lock()
	values := l.values
	l.values, l.closed = nil, true
	l.mu.Unlock()
	for key, o := range values {
		if v, err := o.open(); err == nil {
			end(key, v)
		}
	}
}
