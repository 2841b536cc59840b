package flow

import "sync"

// tail knows whether something was used that the loss of power could take back. It is safe for concurrent use.
type tail struct {
	mu         sync.Mutex // guards what follows
	used, kept int        // results that did not wait for the disk, and how many of them a lasting write has followed
}

// grow notes that a result is about to be used that may not be on the disk.
func (t *tail) grow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used++
}

// isLoose reports whether there is such a result.
func (t *tail) isLoose() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept < t.used
}

// keep makes a write that lasts, and with it all that was written before it.
func (t *tail) keep(write func() error) error {
	t.mu.Lock()
	before := t.used
	t.mu.Unlock()
	err := write()
	if err == nil {
		t.mu.Lock()
		t.kept = max(t.kept, before)
		t.mu.Unlock()
	}
	return err
}
