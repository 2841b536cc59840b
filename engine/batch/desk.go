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

// Options of a desk. The zero Options are the ordinary ones.
type Options struct {
	Now    func() time.Time  // nil: time.Now
	Note   func(text string) // told what the user should know: a damaged file that was put aside; nil: nobody
	Timing Timing
	// MaxItems and MaxBytes bound a job: a provider takes no more. 0: 50,000 items and 64 MiB of requests.
	MaxItems, MaxBytes int
}

// Timing is how long a desk waits for what. What is zero is the default.
type Timing struct {
	Gather time.Duration // for more requests of one job, from the first on: 3 s
	Soon   time.Duration // until a provider is asked about a job for the first time: 10 s; each later wait is longer by half
	Late   time.Duration // at most between two questions: 5 min
	Call   time.Duration // for one call of a provider: 4 min
	Settle time.Duration // between the two lists that a job must not be in: 2 min
	Peek   time.Duration // until it is looked whether another process has got an answer: 5 s
	Limit  time.Duration // for the answer of a job, from its submission on: 25 h
	Keep   time.Duration // until what has ended is deleted: 30 days
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

// Desk gives requests to providers by batch. It is safe for concurrent use; Open is its only door.
type Desk struct {
	records  *records
	waiters  *waiters
	exchange *exchange

	ctx  context.Context //nolint:containedctx // the lifetime of the calls of providers, ended by Close
	stop context.CancelFunc
}

// records are the items and jobs in the file of a desk, which several processes share.
type records struct {
	db      *sqlite.DB
	options Options
	owner   flow.Owner // this process
}

// errClosed refuses what comes after Close.
var errClosed = errors.New("forge is shutting down")

// unable is an error of the desk's own file as it is passed on: it says nothing of what was asked, so a run can be resumed when there is
// room again.
func unable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &flow.UnableError{Cause: err}
}

// Open opens the file of a desk, which need not be there yet. Its errors are those of sqlite.Open.
func Open(ctx context.Context, path string, o Options) (*Desk, error) {
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
		return nil, fmt.Errorf("open what waits for batches: %w", err)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true, Now: o.Now, Note: o.Note})
	if err != nil {
		return nil, fmt.Errorf("open what waits for batches: %w", err)
	}
	r, ws := &records{db: db, options: o, owner: flow.ThisProcess()}, newWaiters()
	d := &Desk{records: r, waiters: ws, exchange: &exchange{records: r, waiters: ws, unsure: map[string]error{}}}
	d.ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.prune(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close ends the calls that are being made, and lets go of whoever waits. What was asked for stays asked for.
func (d *Desk) Close() error {
	d.waiters.close()
	d.stop()
	d.waiters.pollers.Wait()
	d.waiters.refuse(d.waiters.everybody(), errClosed)
	return d.records.db.Close()
}
