// Package spare runs gates on the folder without a change in time in which a run only waits for a model: gates of Time.Want end with the model's
// answer, and those of Time.Need continue. Steps that need a report get it from here, if it is there.
//
// Invariant: it decides nothing. Whether a report is here already only changes how long a step takes, so it is not journaled, and a
// resumed run begins with none.
package spare

import (
	"context"
	"sync"
	"time"

	"forge/engine/gate"
	"forge/engine/step"
)

// Time is the spare time of one run (docs/adr/0172). What ends in it need not run when a change is judged, and what tools have compiled makes
// them faster then.
//
// The zero value has nothing to run, the nil pointer never runs anything. It is safe for concurrent use.
type Time struct {
	mu      sync.Mutex             // guards the fields below
	left    []step.GateCall        // to run, in order
	about   []string               // files that the change will concern; none if every gate is concerned
	allowed bool                   // About was called; nothing runs before
	more    chan struct{}          // closed when something may run; nil if no call waits for that
	known   map[string]gate.Report // of calls that have ended, by gate and snapshot
	early   early                  // gates that the run needs first
}

// patience is how long a call of a model has to take before its time is spare: a model that answers at once leaves none, and programs would only start
// to be stopped.
const patience = 1500 * time.Millisecond

// Need names gates that the run needs next, in their order: they begin once a model is waited for, and its answer does not stop them.
func (s *Time) Need(calls []step.GateCall) { s.early.need(calls) }

// Want adds gates on whole trees without a change, in the order in which they are to run. What the run needed before, and has not begun, is not needed any more.
func (s *Time) Want(calls []step.GateCall) {
	s.early.need(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, calls...)
	s.ready()
}

// About names files that the change will concern: a gate that they do not concern is not run. With none, every gate is concerned.
func (s *Time) About(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about, s.allowed = paths, true
	s.ready()
}

// Close stops what is running, and returns when it has ended.
func (s *Time) Close() { s.early.close() }

// ready wakes a caller that waits for a gate to run. The caller has the lock.
func (s *Time) ready() bool {
	is := len(s.left) > 0 && s.allowed
	if is && s.more != nil {
		close(s.more)
		s.more = nil
	}
	return is
}

// During runs gates until over is called, which returns when none of them is running any more: a gate on a change has the machine for itself. What
// it stops is run from the beginning in the next such time; what its tools have cached stays.
func (s *Time) During(ctx context.Context, run func(context.Context, step.GateCall) (gate.Report, error)) (over func()) {
	if s == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.work(ctx, run)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// work runs what is left, one gate after another, until the context ends.
func (s *Time) work(ctx context.Context, run func(context.Context, step.GateCall) (gate.Report, error)) {
	long := time.NewTimer(patience)
	defer long.Stop()
	select {
	case <-long.C:
	case <-ctx.Done():
		return
	}
	s.early.begin(ctx, run)
	for {
		call, some := s.next(ctx)
		if !some {
			return
		}
		report, err := run(ctx, call)
		if ctx.Err() != nil {
			s.putBack(call)
			return
		}
		if err == nil && (report.Verdict == gate.Pass || report.Verdict == gate.Fail) { // what kept it from a verdict may be over
			s.keep(call, report)
		}
	}
}

// next takes the next call, and waits until there is one; none after the end of the context.
func (s *Time) next(ctx context.Context) (call step.GateCall, some bool) {
	for ctx.Err() == nil {
		s.mu.Lock()
		if s.ready() {
			call, s.left = s.left[0], s.left[1:]
			call.Scope.Changed = s.about
			s.mu.Unlock()
			return call, true
		}
		if s.more == nil {
			s.more = make(chan struct{})
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
		}
	}
	return call, false
}

func (s *Time) putBack(call step.GateCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append([]step.GateCall{call}, s.left...)
}

func (s *Time) keep(call step.GateCall, report gate.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]gate.Report{}
	}
	s.known[spareKey(call)] = report
}

// Begun returns the report of a gate that has begun because the run needs it, as soon as it has ended; known is false for any other.
func (s *Time) Begun(ctx context.Context, c step.GateCall) (report gate.Report, known bool) {
	if s == nil {
		return report, false
	}
	return s.early.report(ctx, c)
}

// Report returns the report that a call asks for, if it has ended in spare time. A call for a part of the tree, or for a new run, has none.
func (s *Time) Report(c step.GateCall) (report gate.Report, known bool) {
	whole := c.Scope.Reach == gate.ReachAll && c.Scope.All() && !c.Scope.List && !c.Scope.Uncached // Changed only decides whether the gate is concerned
	if s == nil || c.Fresh || len(c.State.Changes) > 0 || !whole {
		return report, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	report, known = s.known[spareKey(c)]
	return report, known
}

func spareKey(c step.GateCall) string { return c.Gate + "\x00" + c.State.Base }
