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

// SuiteGates are the gates of a folder, in scratch trees that are theirs.
type SuiteGates struct {
	// Run runs a gate, at a low priority, and weighs its report.
	Run   func(ctx context.Context, c step.GateCall) (gate.Report, error)
	Close func() error // removes the scratch trees
}

// SuiteChange is what the tests have not seen, or only in part.
type SuiteChange struct {
	Run, Root string
	Log       *event.Log // of the run
	Base      string     // id of the snapshot that the changes are of
	Changes   patch.ChangeSet
	Gates     []string // those that have run only a part of their tests
}

// Suite runs all tests of a folder in the background, for a proposal that only a part of them has seen (ADR 88). A caller that has the proposal
// starts the suite or does not: no run waits for it, and none is resumed with it.
//
//	Suites.New ─► Suite.Start ─► SuiteHost.Open: gates in scratch trees ─► events of the run ─► SuiteResult
//
// Invariant: of each folder one suite runs at a time, and no process of it is left once Done is closed.
type Suite struct {
	// Wanted says that the user wants it run in the background, and that no earlier execution of the run has offered it.
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

// SuiteCount is how many tests have ended, as far as their language tells while they run, and how many of these passed.
type SuiteCount struct{ Ended, Passed int }

// SuiteResult is what all of the tests say of a proposal.
type SuiteResult struct {
	// Verdict is gate.Fail where tests fail with the change and not without it, gate.Error where not all could be run, and gate.NotRun where they were
	// stopped before.
	Verdict gate.Verdict
	Text    string        // for users, one line
	Failing []string      // what fails with the change and not without it: names of tests, and what is found beside tests
	Reports []gate.Report // of each suite; findings are those that the change is charged with
}

// Start runs the tests in the background, at a low priority; one that runs in the same folder is stopped first. notify receives what happens as events of the
// run, in order and in one goroutine; it may be nil. It is idempotent.
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

// Cancel stops it for good; no process of it is left within a second. It is idempotent, and may be called before Start.
func (s *Suite) Cancel() { s.stop() }

// Done is closed when it has ended.
func (s *Suite) Done() <-chan struct{} { return s.done }

// Moved gives a value when the count may have changed. It is for one reader.
func (s *Suite) Moved() <-chan struct{} { return s.moved }

// Count is how far it is.
func (s *Suite) Count() SuiteCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Result is how it ended. It is valid once Done is closed.
func (s *Suite) Result() SuiteResult {
	<-s.done
	return s.result
}

func (s *Suite) settle(r SuiteResult) {
	s.result = r
	s.stop()
	close(s.done)
}

// reach notes how far it is.
func (s *Suite) reach(c SuiteCount) {
	s.mu.Lock()
	s.count = c
	s.mu.Unlock()
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// Suites are the suites that an engine runs, of each folder at most one.
type Suites struct {
	ctx context.Context //nolint:containedctx // ended with the engine; it ends them all

	mu     sync.Mutex // guards what follows
	byRoot map[string]*Suite
	closed bool
	wait   sync.WaitGroup
}

// NewSuites has no suites yet; those that begin end with the context.
func NewSuites(ctx context.Context) *Suites { return &Suites{ctx: ctx} }

// New returns a suite that has not started.
func (a *Suites) New(h SuiteHost, of SuiteChange, wanted bool) *Suite {
	s := &Suite{Wanted: wanted, among: a, host: h, of: of, moved: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(a.ctx)
	return s
}

// begin has a suite work in a goroutine, once an older one of its folder is gone. It reports whether it does: not after Close.
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

// Close lets no suite begin any more, and waits for those there are: their contexts have ended.
func (a *Suites) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.wait.Wait()
}
