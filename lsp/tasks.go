package lsp

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// tasks owns the goroutines of a server.
//
// Invariant: after wait has begun no task starts, so the counter never rises from zero again.
type tasks struct {
	ctx    context.Context //nolint:containedctx // the lifetime of the work; ends at shutdown or with the session
	cancel context.CancelFunc
	report func(format string, args ...any)

	mu      sync.Mutex // guards what follows
	count   int
	closing bool
	idle    chan struct{} // closed when closing and nothing runs
}

func newTasks(ctx context.Context, report func(string, ...any)) *tasks {
	ctx, cancel := context.WithCancel(ctx)
	return &tasks{ctx: ctx, cancel: cancel, report: report, idle: make(chan struct{})}
}

// run starts f, unless the server is ending.
func (t *tasks) run(name string, f func(ctx context.Context)) {
	if !t.begin() {
		return
	}
	go func() {
		defer t.end()
		defer t.survive(name)
		f(t.ctx)
	}()
}

// survive is deferred around foreign code; it turns a panic into a report.
func (t *tasks) survive(name string) {
	if r := recover(); r != nil {
		t.report("panic in %s: %v\n%s", name, r, debug.Stack())
	}
}

// begin counts one more goroutine; false means that the server is ending.
func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return false
	}
	t.count++
	return true
}

func (t *tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	t.closeIfIdle()
}

func (t *tasks) closeIfIdle() {
	if t.closing && t.count == 0 {
		close(t.idle)
	}
}

// wait cancels the tasks and returns when all have ended, or after limit. It is called once.
func (t *tasks) wait(limit time.Duration) {
	t.cancel()
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
