package engine

import "sync"

// single is what is opened when it is needed first, and is there until close. Who comes while it is being opened waits for
// that; where it could not be opened, the next one tries again. The zero value is ready to use.
type single[T any] struct {
	mu     sync.Mutex // guards what follows, and is not held while something is opened
	begun  *firstUse[T]
	closed bool
}

// get gives what there is, or opens it. The error is errClosed after close.
func (s *single[T]) get(open func() (T, error)) (v T, err error) {
	begun, err := s.begin(open)
	if err != nil {
		return v, err
	}
	v, err = begun.open()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.begun == begun {
		s.begun = nil
	}
	begun.there = err == nil
	return v, err
}

func (s *single[T]) begin(open func() (T, error)) (*firstUse[T], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.begun == nil {
		s.begun = &firstUse[T]{open: sync.OnceValues(open)}
	}
	return s.begun, nil
}

// known gives what is open now. It waits for nothing.
func (s *single[T]) known() (v T, is bool) {
	s.mu.Lock()
	begun := s.begun
	is = begun != nil && begun.there
	s.mu.Unlock()
	if is {
		v, _ = begun.open()
	}
	return v, is
}

// close has nothing opened any more, and gives what was, to be closed.
func (s *single[T]) close() (v T, is bool) {
	s.mu.Lock()
	begun := s.begun
	s.begun, s.closed = nil, true
	s.mu.Unlock()
	if begun == nil {
		return v, false
	}
	v, err := begun.open()
	return v, err == nil
}

// firstUse is the one opening that all who come meanwhile share.
type firstUse[T any] struct {
	open  func() (T, error) // once
	there bool              // it has succeeded
}
