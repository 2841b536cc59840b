package index

import "sync"

// requests are what the keeper is asked to do. Of several for one path the last counts.
type requests struct {
	covers  map[string]*string // the text that covers a path, or nil for none
	changed map[string]bool    // paths of files or directories
	refresh bool
	sooner  []string // words of paths that a caller waits for
}

func newRequests() requests {
	return requests{covers: map[string]*string{}, changed: map[string]bool{}}
}

// inbox collects requests until the keeper takes them. It never blocks its callers.
type inbox struct {
	wake chan struct{} // holds a token when there may be something to do

	mu       sync.Mutex // guards what is below
	requests requests
	sequence uint64 // of the last request
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1), requests: newRequests()} }

func (b *inbox) put(add func(*requests)) {
	b.mu.Lock()
	add(&b.requests)
	b.sequence++
	b.mu.Unlock()
	b.ring()
}

// ring wakes the keeper.
func (b *inbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) take() (requests, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.requests
	b.requests = newRequests()
	return taken, b.sequence
}

func (b *inbox) last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sequence
}
