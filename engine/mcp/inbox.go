package mcp

import (
	"io"
	"sync"
)

// inbox buffers the output of a server until the client reads it. It never blocks the server. At the limit it calls full once, and drops
// the rest.
type inbox struct {
	full func()

	mu     sync.Mutex // guards the fields below
	wake   *sync.Cond
	data   []byte
	room   int // how many more bytes are accepted
	over   bool
	closed bool
}

func newInbox(limit int, full func()) *inbox {
	b := &inbox{full: full, room: limit}
	b.wake = sync.NewCond(&b.mu)
	return b
}

// receive appends a part.
func (b *inbox) receive(part []byte) {
	if b.append(part) {
		b.full()
	}
}

// append reports whether this part is the first one that does not fit.
func (b *inbox) append(part []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if len(part) > b.room {
		b.over, b.closed = true, true
		b.wake.Broadcast()
		return true
	}
	b.room -= len(part)
	b.data = append(b.data, part...)
	b.wake.Broadcast()
	return false
}

// refill sets how many more bytes are accepted.
func (b *inbox) refill(limit int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = limit
}

// Read implements io.Reader. It blocks until there is data, or the inbox is closed.
func (b *inbox) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 && !b.closed {
		b.wake.Wait()
	}
	if len(b.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// Close implements io.Closer. Buffered data can still be read.
func (b *inbox) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake.Broadcast()
	return nil
}

func (b *inbox) overflowed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over
}
