// Package batch submits requests to providers that answer within a day for a lower price, and delivers the
// answers to their callers, even in another process days later.
//
//	Queue.Model ─► Complete ─► gathered ─► submitting ─► submitted ─► ended ─► delivered
//	                          (item)      (a job: label) (id)        (answers)
//
// A Queue looks like a model: Complete takes a request and returns its answer, however long that takes. Requests for one
// model that arrive within a short time go into one job. Each step is written to a file that all processes of Forge share
// before it is acted on. So a process may die at any point, and a repeated request (with the same Request.Key, as in a
// resumed run) finds its item.
//
// Invariant: no item is in two jobs, and an answered item is never requested again. A job's label is stored before the
// job is submitted. If it is unknown whether the submission succeeded (the process died, the reply was lost), the queue
// lists the provider's jobs and looks for the label. Providers list late, so a job counts as not submitted when two
// lists, some time apart, lack it; then it is submitted with the same label.
//
// A temporary outcome (the item expired, the provider failed) is delivered once: a later request for the item submits it
// again. Every other outcome, good or bad, stays.
//
// Several processes share the work through the rows of the jobs: when to ask next, and which process asks. See docs/adr/0027.
package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"forge/engine/flow"
	"forge/internal/sqlite"
)

// Options are the options of a queue. The zero value holds the defaults.
type Options struct {
	Now    func() time.Time  // nil: time.Now
	Note   func(text string) // receives notices for the user, such as a damaged file that was put aside; nil drops them
	Timing Timing
	// MaxItems and MaxBytes are the largest job that a provider accepts. 0: 50,000 items and 64 MiB of requests.
	MaxItems, MaxBytes int
}

// Timing holds the delays of a queue. Zero means the default.
type Timing struct {
	Gather time.Duration // collects more requests for one job, from the first on: 3 s
	Soon   time.Duration // until the first poll of a job: 10 s; each later wait is longer by half
	Late   time.Duration // longest wait between two polls: 5 min
	Call   time.Duration // limit of one call to a provider: 4 min
	Settle time.Duration // between the two lists that a job must be missing from: 2 min
	Peek   time.Duration // between checks for an answer that another process received: 5 s
	Limit  time.Duration // limit for a job's answer, from its submission on: 25 h
	Keep   time.Duration // until ended jobs are deleted: 30 days
}

func (t Timing) withDefaults() Timing {
	for _, d := range []struct {
		is        *time.Duration
		otherwise time.Duration
	}{
		{&t.Gather, 3 * time.Second}, {&t.Soon, 10 * time.Second}, {&t.Late, 5 * time.Minute}, {&t.Call, 4 * time.Minute},
		{&t.Settle, 2 * time.Minute}, {&t.Peek, 5 * time.Second}, {&t.Limit, 25 * time.Hour}, {&t.Keep, 30 * 24 * time.Hour},
	} {
		if *d.is <= 0 {
			*d.is = d.otherwise
		}
	}
	return t
}

// Queue submits requests to providers in batches. It is safe for concurrent use. Open creates it.
type Queue struct {
	records  *records
	waiters  *waiters
	exchange *exchange

	ctx  context.Context //nolint:containedctx // the lifetime of calls to providers, ended by Close
	stop context.CancelFunc
}

// records are the items and jobs in the file of a queue, which several processes share.
type records struct {
	db      *sqlite.DB
	options Options
	owner   flow.Owner // this process
}

// errClosed is the error of calls after Close.
var errClosed = errors.New("forge is shutting down")

// unable wraps an error of the queue's own file. The request is not at fault, so the run can be resumed once the disk has room
// again.
func unable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &flow.UnableError{Cause: err}
}

// Open opens the file of a queue, and creates it if it is missing. Its errors are those of sqlite.Open.
func Open(ctx context.Context, path string, o Options) (*Queue, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxItems <= 0 {
		o.MaxItems = 50_000
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	o.Timing = o.Timing.withDefaults()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the file of batches: %w", err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true, Now: o.Now, Note: o.Note})
	if err != nil {
		return nil, fmt.Errorf("open the file of batches: %w", err)
	}
	r, ws := &records{db: db, options: o, owner: flow.ThisProcess()}, newWaiters()
	q := &Queue{records: r, waiters: ws, exchange: &exchange{records: r, waiters: ws, unsure: map[string]error{}}}
	q.ctx, q.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.prune(ctx); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// Close ends running calls and releases all waiters. Submitted requests stay submitted.
func (q *Queue) Close() error {
	q.waiters.close()
	q.stop()
	q.waiters.pollers.Wait()
	q.waiters.refuse(q.waiters.everybody(), errClosed)
	return q.records.db.Close()
}
