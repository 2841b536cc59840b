package execution

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/plan"
	"forge/engine/proposal"
	"forge/engine/state"
	"forge/internal/failpoint"
)

// Result is how a run ended, or this execution of it.
type Result struct {
	State    event.State
	Reason   string             // for users; may be empty for Succeeded
	Remedy   event.Remedy       // what gets the user past Reason, if it is known
	Proposal *proposal.Proposal // nil when there is nothing to propose
	Review   *gate.Report       // last report of the reviewer; nil without a review
	Answer   string             // to a question: Markdown
	Plan     *plan.File         // of a run that only plans
	Suite    *checks.Suite      // the tests that have not run on the proposal; nil if all have, or without a proposal
}

// Run is a run that was started or resumed.
type Run struct {
	ID   string
	Task string
	// Recipe is the recipe of the request, or "ask" if the mode of the run only answers; empty if the request names none.
	Recipe string
	Root   string
	Log    *event.Log
	// LiveText is the text that the run's models are streaming.
	LiveText event.LiveText
	// Resumed is the number of events in Log from earlier executions of the run.
	Resumed int

	cancel context.CancelCauseFunc
	asked  atomic.Pointer[time.Time] // time of the first Cancel; nil before it
	done   chan struct{}
	result Result // valid once done is closed
}

// Cancel asks the run to stop for good. The run should stop within a second; its last event has the time that it took. Cancel is idempotent.
func (r *Run) Cancel() {
	now := time.Now()
	r.asked.CompareAndSwap(nil, &now)
	r.cancel(flow.ErrCancelled)
}

// Leave asks the run to stop because its follower leaves. The run counts as interrupted, as after a crash, and can be resumed where it is. Leave is
// idempotent.
func (r *Run) Leave() { r.cancel(flow.ErrReleased) }

// Wait returns how the run ended, or ctx's error if ctx ends first.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	select {
	case <-r.done:
		return r.result, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// end emits the end of the run, and wakes the callers of Wait.
func (r *Run) end(result Result) {
	r.Log.Append(r.ended(result))
	r.settle(result)
}

// ended converts a result to the last event of the run. All work of the run must have ended.
func (r *Run) ended(result Result) event.RunEnded {
	e := event.RunEnded{State: result.State, Reason: result.Reason, Remedy: result.Remedy}
	if asked := r.asked.Load(); asked != nil && e.State == event.Cancelled {
		e.Quiet = max(time.Since(*asked)+time.Millisecond-1, time.Millisecond).Truncate(time.Millisecond)
	}
	return e
}

// settle sets the result, and wakes the callers of Wait. Invariant: RunEnded is in the log before.
func (r *Run) settle(result Result) {
	r.result = result
	r.LiveText.End()
	close(r.done)
}

// survive reports a panic in the work on the run, and interrupts the run, so that it can be resumed.
func (r *Run) survive(fault any) {
	if fault == nil {
		return
	}
	failpoint.ReportBug("panic in run %s: %v\n%s", r.ID, fault, debug.Stack())
	if !r.settled() {
		r.end(Result{State: event.Interrupted, Reason: "internal error, see Forge's log; forge resume continues the run"})
	}
}

// settled reports whether the run was settled.
func (r *Run) settled() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// NewRun returns a run that the caller drives, for tests of fronts without an engine. The caller must call end exactly once. Cancel and
// Leave call cancel.
func NewRun(id, task, root string, log *event.Log, cancel context.CancelFunc) (run *Run, end func(Result)) {
	run = &Run{ID: id, Task: task, Root: root, Log: log, cancel: func(error) { cancel() }, done: make(chan struct{})}
	return run, run.end
}

// Active holds the runs that this engine works on, each in a goroutine. The zero value is empty.
type Active struct {
	mu     sync.Mutex // guards what follows
	byID   map[string]*Run
	closed bool
	wait   sync.WaitGroup
}

// Begin starts a goroutine that calls work, and returns. The context of work ends with ctx, and when the run is cancelled or left. After
// Close, Begin fails with state.ErrClosed.
func (a *Active) Begin(ctx context.Context, run *Run, work func(ctx context.Context)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return state.ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	run.cancel, run.done = cancel, make(chan struct{})
	if a.byID == nil {
		a.byID = map[string]*Run{}
	}
	a.byID[run.ID] = run
	a.wait.Go(func() {
		defer cancel(nil)
		defer func() {
			run.survive(recover())
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.byID[run.ID] == run { // it may be resumed while its end collects
				delete(a.byID, run.ID)
			}
		}()
		work(ctx)
	})
	return nil
}

// Working returns the run with this id if this engine works on it, or nil. A run that has settled is not among them: its goroutine may still
// be running, but the store is complete.
func (a *Active) Working(id string) *Run {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run := a.byID[id]; run != nil && !run.settled() {
		return run
	}
	return nil
}

// Close rejects new runs, calls stop, and waits until all runs have ended.
func (a *Active) Close(stop func()) {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	stop()
	a.wait.Wait()
}
