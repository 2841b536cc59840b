package review

import "sync"

// changes wakes all callers that wait for a change of some document. It is called on the read loop and never blocks it.
type changes struct {
	mu   sync.Mutex
	next chan struct{} // closed and replaced at each change; guarded by mu
}

func newChanges() *changes { return &changes{next: make(chan struct{})} }

// wait returns a channel that is closed at the next change. A caller that calls it first and reads
// the texts afterwards misses no change.
func (c *changes) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.next)
	c.next = make(chan struct{})
}
