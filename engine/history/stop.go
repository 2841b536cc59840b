package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/event"
)

// Stoppable are runs that can be stopped, in whatever process they are worked on.
type Stoppable interface {
	// Find returns what is kept of a run. The error matches ErrNoRun when there is none.
	Find(ctx context.Context, id string) (Run, error)
	// Kill asks a run to stop for good, and AwaitQuiet waits until no process works on it.
	Kill(ctx context.Context, id string) error
	AwaitQuiet(ctx context.Context, id string) (Run, error)
}

// BusyError says that a run was asked to stop, and has not done so in time.
type BusyError struct {
	RunID  string
	State  event.State
	Within time.Duration // how long it had
}

// Error is the message without advice.
func (e *BusyError) Error() string {
	return fmt.Sprintf("run %s was asked to stop, and is still %s after %s", e.RunID, e.State, e.Within)
}

// Stop stops a run for good, waits until no process works on it, and returns how it stands then. A run that has ended stays as it
// is. A run that is not quiet in time is a *BusyError.
func Stop(ctx context.Context, runs Stoppable, id string, within time.Duration) (Run, error) {
	run, err := runs.Find(ctx, id)
	if err != nil || !run.Alive() && run.State != event.Interrupted && run.State != event.Paused {
		return run, err
	}
	killed := runs.Kill(ctx, id) // an error may be that it has ended just now, which the next look shows
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
