package flow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"forge/internal/failpoint"
)

// Worker is an activity and its limits.
type Worker struct {
	Activity Activity
	// Again performs a step that was begun before and has no result: whether its effect happened is unknown. Nil is Activity. With it, the
	// beginning of a step is on disk before the step is performed.
	Again   Activity
	Timeout time.Duration // after it, the activity is cancelled with a Failure "timeout"; 0: no limit
	// Repeatable means that performing it again after it gave a result loses nothing: the result cost no money and no answer of the
	// user, and nothing outside was changed. Its results do not wait for the disk (docs/adr/0041).
	Repeatable bool
}

// DriverOptions are the options of New and InMemory.
type DriverOptions struct {
	Now func() time.Time // nil: time.Now
}

// journal keeps the steps of one run. Its methods are safe for concurrent use.
type journal interface {
	// newest returns the last generation of a step.
	newest(ctx context.Context, node string, attempt int, name string) (s Step, found bool, err error)
	// retried reports whether a failure from before s was forgotten after s had finished.
	retried(ctx context.Context, s Step) (bool, error)
	// begin writes that a step was begun, and how it ended if it has. lasting: the write survives a crash of the machine.
	begin(ctx context.Context, s Step, lasting bool) error
	// finish writes how a step ended.
	finish(ctx context.Context, s Step, lasting bool) error
}

// driver is a Flow over a journal.
type driver struct {
	run     string
	journal journal
	workers map[string]Worker
	attach  func(context.Context) (context.Context, context.CancelFunc) // ends a context with the run
	now     func() time.Time
	tail    tail // of the journal

	performing func(Call) // called before an activity is started; may be nil

	mu      sync.Mutex              // guards running
	running map[place]chan struct{} // closed when the step has ended
}

// place is the position of a step in its run.
type place struct {
	node    string
	attempt int
	name    string
}

// New returns the flow of a run whose lease was taken. Call.Do names one of the workers.
func New(l *Lease, workers map[string]Worker, o DriverOptions) Flow {
	return newDriver(l.run.ID, l, workers, l.Context, o)
}

func newDriver(run string, j journal, workers map[string]Worker,
	attach func(context.Context) (context.Context, context.CancelFunc), o DriverOptions,
) *driver {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &driver{
		run: run, journal: j, workers: workers, attach: attach, now: o.Now, running: map[place]chan struct{}{},
	}
}

// RunID returns the id of the run.
func (d *driver) RunID() string { return d.run }

// Do performs a step, or returns its journaled result.
func (d *driver) Do(ctx context.Context, c Call) (json.RawMessage, error) {
	return d.step(ctx, KindDo, c)
}

// Wait asks the user a question, or returns the journaled answer.
func (d *driver) Wait(ctx context.Context, c Call) (json.RawMessage, error) {
	return d.step(ctx, KindWait, c)
}

// step plays one step: from the journal if it has finished, otherwise by performing it. A step is played once at a time, and a
// second caller gets the journaled result. Unless the worker is repeatable, the result is on disk before it is used.
//
// Invariant: everything that a lasting step follows from is on disk before the step is performed. So a power loss takes back only
// steps that no lasting step followed.
func (d *driver) step(ctx context.Context, kind Kind, c Call) (json.RawMessage, error) {
	w, ok := d.workers[c.Do]
	if !ok {
		return nil, fmt.Errorf("step %s of %s: no activity is named %q", c.Name, c.Node, c.Do)
	}
	ctx, cancel := d.attach(ctx)
	defer cancel()
	leave, err := d.enter(ctx, place{c.Node, c.Attempt, c.Name})
	if err != nil {
		return nil, err
	}
	defer leave()
	s, err := d.find(ctx, kind, c)
	if err != nil {
		return nil, stepError(ctx, c, "read the journal", err)
	}
	if s.Finished() {
		d.tail.grow() // the result may not be on disk yet
		return s.result()
	}
	if s.Seq > 0 && w.Again != nil {
		w.Activity = w.Again
	}
	lasting := !w.Repeatable
	write := d.journal.finish
	if kind == KindDo && !lasting && s.Seq == 0 { // begin and end are one write
		write = d.journal.begin
	} else if err := d.begin(ctx, s, lasting && (w.Again != nil || d.tail.isLoose())); err != nil {
		return nil, stepError(ctx, c, "journal its begin", err)
	}
	output, failure, err := d.perform(ctx, w, s.Key, c)
	if err != nil {
		return nil, err
	}
	s.end(d.now(), output, failure)
	if err := d.finish(ctx, s, write, lasting); err != nil {
		return nil, stepError(context.WithoutCancel(ctx), c, "journal its result", err)
	}
	return s.result()
}

// perform runs a worker's activity within its limits. A failure is the result of the step, which is kept; an error is none. perform returns
// when the activity does: an activity that ignores its context cannot be stopped.
func (d *driver) perform(ctx context.Context, w Worker, key string, c Call) (output json.RawMessage, failure, err error) {
	if d.performing != nil {
		d.performing(c)
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if w.Timeout > 0 {
		defer time.AfterFunc(w.Timeout, func() {
			cancel(&Failure{FailureTimeout, fmt.Sprintf("it did not end within %s", w.Timeout)})
		}).Stop()
	}
	output, failure = w.Activity(limited, key, c.Input)
	if failure != nil && ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if limit, ok := errors.AsType[*Failure](context.Cause(limited)); ok && failure != nil {
		return nil, limit, nil
	}
	if unable, ok := errors.AsType[*UnableError](failure); ok {
		return nil, nil, unable
	}
	return output, failure, nil
}

// finish journals the end of a step. A billed result is kept, even if the run is cancelled at this moment.
func (d *driver) finish(ctx context.Context, s Step, write func(context.Context, Step, bool) error, lasting bool) error {
	points := failpoints[s.Kind]
	failpoint.Hit(points.finish)
	err := d.write(context.WithoutCancel(ctx), write, s, lasting)
	if err == nil {
		failpoint.Hit(points.finished)
	}
	return err
}

// begin journals the start of a step.
func (d *driver) begin(ctx context.Context, s Step, lasting bool) error {
	points := failpoints[s.Kind]
	failpoint.Hit(points.begin)
	err := d.write(ctx, d.journal.begin, s, lasting)
	if err == nil {
		failpoint.Hit(points.begun)
	}
	return err
}

// write writes to the journal.
func (d *driver) write(ctx context.Context, do func(context.Context, Step, bool) error, s Step, lasting bool) error {
	if lasting {
		return d.tail.keep(func() error { return do(ctx, s, true) })
	}
	err := do(ctx, s, false)
	if s.Finished() {
		d.tail.grow()
	}
	return err
}

// enter waits until no other caller plays the step.
func (d *driver) enter(ctx context.Context, p place) (leave func(), err error) {
	for {
		d.mu.Lock()
		other := d.running[p]
		if other == nil && ctx.Err() == nil {
			mine := make(chan struct{})
			d.running[p] = mine
			d.mu.Unlock()
			return func() { d.leave(p, mine) }, nil
		}
		d.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (d *driver) leave(p place, mine chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, p)
	close(mine)
}

// find returns the step from the journal, or a new one that is to be begun.
func (d *driver) find(ctx context.Context, kind Kind, c Call) (Step, error) {
	was, found, err := d.journal.newest(ctx, c.Node, c.Attempt, c.Name)
	if err != nil {
		return was, err
	}
	next := d.newStep(kind, c)
	if !found {
		next.Key = next.key()
		return next, nil
	}
	if !was.Forgotten && was.InputHash == next.InputHash {
		return was, nil
	}
	if !was.Forgotten && was.Finished() {
		retried, err := d.journal.retried(ctx, was)
		if err != nil {
			return was, err
		}
		if !retried {
			return was, &DivergedError{Run: d.run, Call: c, Was: was}
		}
	}
	next.Generation = was.Generation + 1
	next.Key = next.key()
	return next, nil
}

func (d *driver) newStep(kind Kind, c Call) Step {
	return Step{
		Run: d.run, Node: c.Node, Attempt: c.Attempt, Name: c.Name, Kind: kind, Do: c.Do, InputHash: inputHash(kind, c), Started: d.now(),
	}
}

// inputHash identifies the input of a step. Blanks between the tokens of its JSON do not count.
func inputHash(kind Kind, c Call) string {
	sum := sha256.New()
	input := compact(c.Input)
	fmt.Fprintf(sum, "%s\n%s\n%d\n%s", kind, c.Do, len(input), input)
	return hex.EncodeToString(sum.Sum(nil))
}

// stepError wraps an error with the step and the failed operation. The end of the context stays as it is.
func stepError(ctx context.Context, c Call, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("step %s of %s, attempt %d: %s: %w", c.Name, c.Node, c.Attempt, what, err)
}

// tail records whether the run used a result that a power loss could take back. It is safe for concurrent use.
type tail struct {
	mu         sync.Mutex // guards what follows
	used, kept int        // results that did not wait for the disk, and how many of them a lasting write has followed
}

// grow records that a result is about to be used that may not be on disk.
func (t *tail) grow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used++
}

// isLoose reports whether there is such a result.
func (t *tail) isLoose() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept < t.used
}

// keep makes a lasting write, which also makes everything written before it last.
func (t *tail) keep(write func() error) error {
	t.mu.Lock()
	before := t.used
	t.mu.Unlock()
	err := write()
	if err == nil {
		t.mu.Lock()
		t.kept = max(t.kept, before)
		t.mu.Unlock()
	}
	return err
}
