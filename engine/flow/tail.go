package flow

import "sync"

// tail records whether the run used a result that a power loss could take back. It is safe for concurrent use.
type tail struct {
	mu         sync.Mutex // guards what follows
	used, kept int        // results that did not wait for the disk, and how many of them a lasting write has followed
}

// grow records that a result is about to be used that may not be on disk.
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

// keep makes a lasting write, which also makes everything written before it last.
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
