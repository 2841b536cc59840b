package transport

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"forge/internal/failpoint"
)

// Tasks owns the goroutines of a server.
//
// Invariant: after wait has begun no task starts, so the counter never rises from zero again.
type Tasks struct {
	ctx    context.Context //nolint:containedctx // the lifetime of the work; ends at shutdown or with the session
	Cancel context.CancelFunc
	report func(format string, args ...any)

	mu      sync.Mutex // guards what follows
	count   int
	closing bool
	idle    chan struct{} // closed when closing and nothing runs
}

// NewTasks returns a group whose goroutines end with ctx; report takes their panics, and nil is failpoint.ReportBug.
func NewTasks(ctx context.Context, report func(string, ...any)) *Tasks {
	if report == nil {
		report = failpoint.ReportBug
	}
	ctx, cancel := context.WithCancel(ctx)
	return &Tasks{ctx: ctx, Cancel: cancel, report: report, idle: make(chan struct{})}
}

// Run starts f, unless the server is ending.
func (t *Tasks) Run(name string, f func(ctx context.Context)) {
	if !t.begin() {
		return
	}
	go func() {
		defer t.end()
		defer t.Survive(name)
		f(t.ctx)
	}()
}

// Survive is deferred around foreign code; it turns a panic into a report.
func (t *Tasks) Survive(name string) {
	if r := recover(); r != nil {
		t.report("panic in %s: %v\n%s", name, r, debug.Stack())
	}
}

// begin counts one more goroutine; false means that the server is ending.
func (t *Tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return false
	}
	t.count++
	return true
}

func (t *Tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	t.closeIfIdle()
}

func (t *Tasks) closeIfIdle() {
	if t.closing && t.count == 0 {
		close(t.idle)
	}
}

// Wait cancels the tasks and returns when all have ended, or after limit. It is called once.
func (t *Tasks) Wait(limit time.Duration) {
	t.Cancel()
	t.mu.Lock()
	t.closing = true
	t.closeIfIdle()
	t.mu.Unlock()

	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.idle:
	case <-timer.C:
	}
}
