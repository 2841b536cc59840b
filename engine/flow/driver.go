package flow

import (
	"context"
	"time"
)

// Worker is an activity and its limits.
type Worker struct {
	Activity  Activity
	Timeout   time.Duration // after which it is cancelled, with a Failure "timeout"; 0: never
	Heartbeat time.Duration // without a Beat, after which it is cancelled, with a Failure "heartbeat"; 0: never
}

// DriverOptions of New.
type DriverOptions struct {
	Fan int              // how many calls of a Fan run at once; 0: 4
	Now func() time.Time // nil: time.Now
}

// New is the flow of a run: workers are named by what calls name as Do.
func New(l *Lease, workers map[string]Worker, o DriverOptions) Flow { return nil }

// Beat is a sign of life of the activity that was given the context. It does nothing in others.
func Beat(ctx context.Context) {}
