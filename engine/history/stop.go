package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/event"
)

// Stoppable are runs that can be stopped, in any process.
type Stoppable interface {
	// Find returns the record of a run. The error matches ErrNoRun if the run does not exist.
	Find(ctx context.Context, id string) (Run, error)
	// Kill asks a run to stop permanently, and AwaitQuiet waits until no process works on it.
	Kill(ctx context.Context, id string) error
	AwaitQuiet(ctx context.Context, id string) (Run, error)
}

// BusyError means that a run did not stop in time.
type BusyError struct {
	RunID  string
	State  event.State
	Within time.Duration // the time limit
}

// Error returns the message without advice.
func (e *BusyError) Error() string {
	return fmt.Sprintf("run %s was asked to stop, and is still %s after %s", e.RunID, e.State, e.Within)
}

// Stop stops a run permanently, waits until no process works on it, and returns its state. A run that has ended stays as it is. A
// run that does not stop in time is a *BusyError.
func Stop(ctx context.Context, runs Stoppable, id string, within time.Duration) (Run, error) {
	run, err := runs.Find(ctx, id)
	if err != nil || !run.Alive() && run.State != event.Interrupted {
		return run, err
	}
	killed := runs.Kill(ctx, id) // it may have just ended, which the next check shows
	wait, done := context.WithTimeout(ctx, within)
	defer done()
	run, err = runs.AwaitQuiet(wait, id)
	if run.Alive() && killed != nil {
		return run, killed
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &BusyError{RunID: id, State: run.State, Within: within}
	}
	return run, err
}
