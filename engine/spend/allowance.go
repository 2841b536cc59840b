package spend

import (
	"context"
	"sync"
	"time"
)

// Allowance is the time that work may take. It pauses while the work waits for something that is not counted, such as a batch.
type Allowance struct {
	mu    sync.Mutex // guards what follows
	left  time.Duration
	began time.Time // when left was so much
	idle  int       // how many pauses are open
	timer *time.Timer
}

// AllowTime returns a context that ends, with a cause, when the time is up.
func AllowTime(ctx context.Context, limit time.Duration, cause error) (context.Context, *Allowance, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	a := &Allowance{left: limit, began: time.Now(), timer: time.AfterFunc(limit, func() { end(cause) })}
	return ctx, a, func() {
		a.timer.Stop()
		end(nil)
	}
}

// Pause stops the time until over is called. Pauses may overlap.
func (a *Allowance) Pause() (over func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle++; a.idle == 1 && a.timer.Stop() {
		a.left -= time.Since(a.began)
	}
	return a.resume
}

func (a *Allowance) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle--; a.idle == 0 {
		a.began = time.Now()
		a.timer.Reset(max(a.left, 0))
	}
}
