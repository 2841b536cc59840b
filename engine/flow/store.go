package flow

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Options of a store.
type Options struct {
	Owner Owner             // who works on runs that are begun or claimed; the zero value is this process
	Now   func() time.Time  // nil: time.Now
	Note  func(text string) // told what a person should know: a damaged file that was put aside; nil: nobody
}

// Store keeps runs and their journals in one file. It is safe for concurrent use, and several processes may
// have the same file open.
type Store struct{}

// OpenStore opens the file, which need not be there yet.
func OpenStore(ctx context.Context, path string, o Options) (*Store, error) {
	return nil, errors.New("not built yet")
}

// Close closes the file. Leases must have ended.
func (s *Store) Close() error { return nil }

// Begin makes a run and works on it. ErrExists if its id is taken.
func (s *Store) Begin(ctx context.Context, r NewRun) (*Lease, error) { return nil, nil }

// Claim takes over a run that nobody alive works on: Running with a dead owner, Paused, Failed or Cancelled.
// ErrNoRun, ErrHeld or ErrEnded if there is nothing to take. Of several who claim at once one gets it.
func (s *Store) Claim(ctx context.Context, id string) (*Lease, error) { return nil, nil }

// Run is one run. ErrNoRun if there is none.
func (s *Store) Run(ctx context.Context, id string) (Run, error) { return Run{}, nil }

// Filter chooses runs. The zero value chooses all.
type Filter struct {
	States      []State   // one of them; none: any
	Folder      string    // of the run; empty: any
	Kind        string    // of the run; empty: any
	Interrupted bool      // only those
	Since       time.Time // started then or later; zero: any
	Limit       int       // the newest so many; 0: all
}

// Runs are the runs that a filter chooses, the newest first.
func (s *Store) Runs(ctx context.Context, f Filter) ([]Run, error) { return nil, nil }

// Steps are the journal of a run in the order in which steps were begun, forgotten ones too.
func (s *Store) Steps(ctx context.Context, id string) ([]Step, error) { return nil, nil }

// Request asks whoever works on a run to cancel or pause it, which they see within a second wherever they
// are. If nobody alive does, the run is Cancelled or Paused at once. ErrEnded if it has ended.
func (s *Store) Request(ctx context.Context, id string, r Request) error { return nil }

// Forget makes failures of a node count no more, from an attempt on: when the run is claimed and played
// again they are performed again. What succeeded stays, nothing is deleted. It returns how many there were.
// ErrHeld if somebody works on the run.
func (s *Store) Forget(ctx context.Context, id, node string, fromAttempt int) (int, error) {
	return 0, nil
}

// Retention says which runs Prune keeps.
type Retention struct {
	Keep   int       // the newest so many, in any case
	Before time.Time // delete only what ended before
	Except []string  // ids that stay
}

// Prune deletes runs that have ended, with their journals, and returns their ids.
func (s *Store) Prune(ctx context.Context, r Retention) ([]string, error) { return nil, nil }

// Lease is the right to work on a run. It renews itself until End, Release or until it is lost.
type Lease struct{}

// Run is the run as it was when the lease was taken.
func (l *Lease) Run() Run { return Run{} }

// Context is a context that ends with the lease, too: its cause is then ErrPaused, ErrCancelled, ErrFenced
// or ErrReleased. cancel must be called.
func (l *Lease) Context(ctx context.Context) (_ context.Context, cancel context.CancelFunc) {
	return context.WithCancel(ctx)
}

// Err is why the lease has ended, or nil.
func (l *Lease) Err() error { return nil }

// End says what the run came to: any state but Running. The lease is given back, also when End fails (then
// the run stands as Running without an owner, and can be claimed).
func (l *Lease) End(ctx context.Context, s State, reason string, result json.RawMessage) error {
	return nil
}

// Release gives the lease back and leaves the run as it is: it stands as interrupted. Again it does nothing.
func (l *Lease) Release(ctx context.Context) error { return nil }
