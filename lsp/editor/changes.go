package editor

import "sync"

// Changes wakes all callers that wait for a change of some document. It is called on the read loop and never blocks it.
type Changes struct {
	mu   sync.Mutex
	next chan struct{} // closed and replaced at each change; guarded by mu
}

// NewChanges returns one without callers.
func NewChanges() *Changes { return &Changes{next: make(chan struct{})} }

// Wait returns a channel that is closed at the next change. A caller that calls it first and reads
// the texts afterwards misses no change.
func (c *Changes) Wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// Notify wakes them.
func (c *Changes) Notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.next)
	c.next = make(chan struct{})
}
