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
	Review   *gate.Report       // what the reviewer said last; nil where nobody was asked
	Answer   string             // to what was asked: Markdown
	Plan     *plan.File         // of a run that only plans
	Suite    *checks.Suite      // the tests that have not seen the proposal; nil where all have, or there is none
}

// Run is a run that was started or resumed.
type Run struct {
	ID   string
	Task string
	// Recipe is what was asked for, or "ask" where the mode of the run only answers; empty where nothing was said.
	Recipe string
	Root   string
	Log    *event.Log
	// Speech is what its models say at this moment.
	Speech event.Speech
	// Resumed is how many events of Log are of earlier executions of the run; 0 for one that was just started.
	Resumed int

	cancel context.CancelCauseFunc
	asked  atomic.Pointer[time.Time] // when Cancel was called first; nil is never
	done   chan struct{}
	result Result // valid once done is closed
}

// Cancel asks the run to stop for good; it is quiet within a second, and its last event has the time that it took. It is idempotent.
func (r *Run) Cancel() {
	now := time.Now()
	r.asked.CompareAndSwap(nil, &now)
	r.cancel(flow.ErrCancelled)
}

// Leave asks the run to stop because its follower goes away. It is interrupted, as by a crash, and Resume takes it up again where it is. It is idempotent.
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

// end reports how the run ended, and lets go who waits for it.
func (r *Run) end(result Result) {
	r.Log.Append(r.ended(result))
	r.settle(result)
}

// ended is how the log has a result. It is called when nothing of the run works any more.
func (r *Run) ended(result Result) event.RunEnded {
	e := event.RunEnded{State: result.State, Reason: result.Reason, Remedy: result.Remedy}
	if asked := r.asked.Load(); asked != nil && e.State == event.Cancelled {
		e.Quiet = max(time.Since(*asked)+time.Millisecond-1, time.Millisecond).Truncate(time.Millisecond)
	}
	return e
}

// settle lets go who waits for the run. Invariant: they find RunEnded in the log.
func (r *Run) settle(result Result) {
	r.result = result
	r.Speech.End()
	close(r.done)
}

// survive turns a panic in the work on the run into its end, for now: Resume takes it up again.
func (r *Run) survive(fault any) {
	if fault == nil {
		return
	}
	failpoint.ReportBug("panic in run %s: %v\n%s", r.ID, fault, debug.Stack())
	if !r.settled() {
		r.end(Result{State: event.Interrupted, Reason: "Forge met an error of its own, and its log has the details; forge resume goes on with the run"})
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

// NewRun returns a run that the caller drives, and the function that ends it, which must be called
// exactly once: tests of fronts need runs without an engine. cancel is what Cancel and Leave call.
func NewRun(id, task, root string, log *event.Log, cancel context.CancelFunc) (run *Run, end func(Result)) {
	run = &Run{ID: id, Task: task, Root: root, Log: log, cancel: func(error) { cancel() }, done: make(chan struct{})}
	return run, run.end
}

// Active are the runs that this engine works on, each in a goroutine. Its zero value has none.
type Active struct {
	mu     sync.Mutex // guards what follows
	byID   map[string]*Run
	closed bool
	wait   sync.WaitGroup
}

// Begin works on a run until work returns or ctx ends. The error is state.ErrClosed after close.
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
			a.mu.Lock()
			defer a.mu.Unlock()
			delete(a.byID, run.ID)
		}()
		defer func() { run.survive(recover()) }()
		work(ctx)
	})
	return nil
}

// Working is a run that is worked on here, or nil. One that has settled is complete in the store, although its goroutine may not have ended yet.
func (a *Active) Working(id string) *Run {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run := a.byID[id]; run != nil && !run.settled() {
		return run
	}
	return nil
}

// Close lets no run begin any more, calls stop, and waits for those there are.
func (a *Active) Close(stop func()) {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	stop()
	a.wait.Wait()
}
