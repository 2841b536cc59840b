package atlas

import (
	"context"
	"time"
)

// follower keeps something up to date: in the background after raise, and at once for callers that cannot wait.
type follower struct {
	wake    chan struct{} // holds a token when there may be something to do
	turn    chan struct{} // full while a call catches up; unlike a mutex it may be held over I/O
	catchUp func(ctx context.Context) error
	pause   time.Duration // minimum time between two background updates
}

func newFollower(catchUp func(ctx context.Context) error, pause time.Duration) follower {
	return follower{wake: make(chan struct{}, 1), turn: make(chan struct{}, 1), catchUp: catchUp, pause: pause}
}

// raise reports that there may be work. Several calls before the next update are one.
func (f follower) raise() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run catches up once, and again when raise was called, until ctx ends.
func (f follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = f.now(ctx) // a failure is retried the next time
		f.rest(ctx)
		select {
		case <-f.wake:
		case <-ctx.Done():
		}
	}
}

func (f follower) rest(ctx context.Context) {
	rested := time.NewTimer(f.pause)
	defer rested.Stop()
	select {
	case <-rested.C:
	case <-ctx.Done():
	}
}

// now catches up, after any call that does so already.
func (f follower) now(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.turn }()
	return f.catchUp(ctx)
}
