package checks

import (
	"context"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/state"
	"forge/engine/step"
	"forge/patch"
)

// SuiteNode is the node in events about the tests that run in the background. They come after the end of their run.
const SuiteNode = "suite"

// SuiteHost is what suites need of the engine.
type SuiteHost struct {
	State *state.State
	// Open prepares the gates of a folder for the change of a run.
	Open  func(ctx context.Context, c SuiteChange) (SuiteGates, error)
	Guard func(event []byte) []byte // replaces secrets in an event; see event.Log.Guard
	Now   func() time.Time
}

// SuiteGates are the gates of a folder, in their own scratch trees.
type SuiteGates struct {
	// Run runs a gate, at a low priority, and weighs its report.
	Run   func(ctx context.Context, c step.GateCall) (gate.Report, error)
	Close func() error // removes the scratch trees
}

// SuiteChange is a change on which some gates have run only a part of their tests.
type SuiteChange struct {
	Run, Root string
	Log       *event.Log // of the run
	Base      string     // id of the snapshot that the changes are of
	Changes   patch.ChangeSet
	Gates     []string // those that have run only a part of their tests
}

// Suite runs all tests of a folder in the background, on a proposal for which only a part of them has run (ADR 88). The receiver of the proposal
// decides whether to start it: no run waits for it, and resuming a run does not resume it.
//
//	Suites.New ─► Suite.Start ─► SuiteHost.Open: gates in scratch trees ─► events of the run ─► SuiteResult
//
// Invariant: at most one suite of each folder runs at a time, and none of its processes is left once Done is closed.
type Suite struct {
	// Wanted means that the user's settings ask for the suite, and that no earlier execution of the run has offered it.
	Wanted bool

	among *Suites
	host  SuiteHost
	of    SuiteChange

	moved chan struct{} // holds a token when the count has changed
	done  chan struct{}
	ctx   context.Context //nolint:containedctx // ended by Cancel, also before the start
	stop  context.CancelFunc

	mu      sync.Mutex // guards what follows
	started bool
	count   SuiteCount
	result  SuiteResult // valid once done is closed
}

// SuiteCount counts the tests that have ended, as far as their runner reports that while they run, and those of them that passed.
type SuiteCount struct{ Ended, Passed int }

// SuiteResult is the result of all tests on a proposal.
type SuiteResult struct {
	// Verdict is gate.Fail if tests fail with the change and not without it, gate.Error if not all could run, and gate.NotRun if they were
	// stopped before.
	Verdict gate.Verdict
	Text    string        // for users, one line
	Failing []string      // what fails with the change and not without it: names of tests, and findings outside tests
	Reports []gate.Report // of each suite; findings are those that the change is charged with
}

// Start starts a goroutine that runs the tests at a low priority, after it has stopped an older suite of the folder. notify receives the events,
// which continue those of the run, in order and in one goroutine; it may be nil. Start is idempotent.
func (s *Suite) Start(notify func(event.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return
	}
	s.started = true
	if !s.among.begin(s, func() { s.work(notify) }) {
		s.settle(SuiteResult{Text: suiteStopped})
	}
}

// Cancel stops the suite for good, and does not wait: its processes are gone within a second. It is idempotent, and may be called before Start.
func (s *Suite) Cancel() { s.stop() }

// Done returns a channel that is closed when the suite has ended. Without Start it is never closed.
func (s *Suite) Done() <-chan struct{} { return s.done }

// Moved returns a channel that has a value when the count may have changed. It is for one reader.
func (s *Suite) Moved() <-chan struct{} { return s.moved }

// Count returns the number of tests that have ended so far.
func (s *Suite) Count() SuiteCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Result waits until the suite has ended, and returns its result.
func (s *Suite) Result() SuiteResult {
	<-s.done
	return s.result
}

func (s *Suite) settle(r SuiteResult) {
	s.result = r
	s.stop()
	close(s.done)
}

// reach sets the count, and wakes the reader of Moved.
func (s *Suite) reach(c SuiteCount) {
	s.mu.Lock()
	s.count = c
	s.mu.Unlock()
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// Suites holds the suites of an engine, and runs at most one of each folder at a time.
type Suites struct {
	ctx context.Context //nolint:containedctx // ended with the engine; it ends them all

	mu     sync.Mutex // guards what follows
	byRoot map[string]*Suite
	closed bool
	wait   sync.WaitGroup
}

// NewSuites returns an empty Suites. The end of ctx stops all its suites.
func NewSuites(ctx context.Context) *Suites { return &Suites{ctx: ctx} }

// New returns a suite that has not started.
func (a *Suites) New(h SuiteHost, of SuiteChange, wanted bool) *Suite {
	s := &Suite{Wanted: wanted, among: a, host: h, of: of, moved: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(a.ctx)
	return s
}

// begin calls work in a goroutine, once an older suite of the folder has ended. It returns false, and does nothing, after Close.
func (a *Suites) begin(s *Suite, work func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	older := a.byRoot[s.of.Root]
	if a.byRoot == nil {
		a.byRoot = map[string]*Suite{}
	}
	a.byRoot[s.of.Root] = s
	a.wait.Go(func() {
		if older != nil {
			older.Cancel()
			<-older.done
		}
		work()
	})
	return true
}

// Stop ends the suite of a run, if there is one, and waits for its end.
func (a *Suites) Stop(run string) {
	a.mu.Lock()
	var found *Suite
	for _, s := range a.byRoot {
		if s.of.Run == run {
			found = s
		}
	}
	a.mu.Unlock()
	if found != nil {
		found.Cancel()
		<-found.done
	}
}

// Close rejects new suites, and waits until all have ended. It stops none: the context of NewSuites must have ended before.
func (a *Suites) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.wait.Wait()
}
