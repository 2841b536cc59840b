package spare

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"forge/engine/gate"
	"forge/engine/step"
)

// early runs gates that a run is about to need, while it waits for its first call of a model (docs/adr/0180). Unlike what is spare, they are not
// stopped by the answer: the step that needs one waits for the execution that has begun.
//
// The zero value has nothing to run. It is safe for concurrent use.
type early struct {
	mu     sync.Mutex // guards the fields below
	left   []step.GateCall
	begun  map[string]*begun // by call
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing is running any more
}

// begun is a gate that has begun early. Its result may be read when done is closed.
type begun struct {
	done   chan struct{}
	report gate.Report
	err    error
}

// need replaces what is to begin.
func (e *early) need(calls []step.GateCall) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left = slices.Clone(calls)
}

// begin starts what is needed, one gate after another, if there is anything. It continues after the end of ctx, until close is called.
func (e *early) begin(ctx context.Context, run func(context.Context, step.GateCall) (gate.Report, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.left) == 0 || e.cancel != nil {
		return
	}
	ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.begun, e.ended = map[string]*begun{}, make(chan struct{})
	go func() {
		defer close(e.ended)
		for ctx.Err() == nil {
			call, b, some := e.next()
			if !some {
				return
			}
			b.report, b.err = run(ctx, call)
			close(b.done)
		}
	}()
}

func (e *early) next() (call step.GateCall, b *begun, some bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.left) == 0 {
		return call, nil, false
	}
	call, e.left = e.left[0], e.left[1:]
	b = &begun{done: make(chan struct{})}
	e.begun[earlyKey(call)] = b
	return call, b, true
}

// report returns what a gate that has begun early reports, as soon as it has ended; known is false for any other, and for one that had no tree. Each is
// returned once, also without a verdict: a suite that ran out of time does not run for as long again, and a repeated call asks for a new execution.
func (e *early) report(ctx context.Context, c step.GateCall) (report gate.Report, known bool) {
	e.mu.Lock()
	key := earlyKey(c)
	b := e.begun[key]
	delete(e.begun, key)
	e.left = slices.DeleteFunc(e.left, func(c step.GateCall) bool { return earlyKey(c) == key })
	e.mu.Unlock()
	if b == nil {
		return report, false
	}
	select {
	case <-b.done:
		return b.report, b.err == nil
	case <-ctx.Done():
		return report, false
	}
}

// close stops what is running, and returns when it has ended.
func (e *early) close() {
	e.mu.Lock()
	e.left = nil
	cancel, ended := e.cancel, e.ended
	e.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

// earlyKey identifies a call by all of its arguments.
func earlyKey(c step.GateCall) string {
	key, _ := json.Marshal(c) // a call is journaled as JSON
	return string(key)
}
