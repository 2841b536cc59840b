package execution

import (
	"context"
	"sync"
	"time"
)

// allowance is the time that an execution of a run may take. It stands still while the run waits for a batch.
type allowance struct {
	mu    sync.Mutex // guards what follows
	left  time.Duration
	began time.Time // when left was so much
	idle  int       // how many calls wait for a batch
	timer *time.Timer
}

// allow returns a context that ends, with a cause, when the time is up.
func allow(ctx context.Context, limit time.Duration, cause error) (context.Context, *allowance, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	a := &allowance{left: limit, began: time.Now(), timer: time.AfterFunc(limit, func() { end(cause) })}
	return ctx, a, func() {
		a.timer.Stop()
		end(nil)
	}
}

// pause lets the time stand still until over is called. Pauses may overlap.
func (a *allowance) pause() (over func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle++; a.idle == 1 && a.timer.Stop() {
		a.left -= time.Since(a.began)
	}
	return a.resume
}

func (a *allowance) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle--; a.idle == 0 {
		a.began = time.Now()
		a.timer.Reset(max(a.left, 0))
	}
}
