package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"forge/engine/llm"
	"forge/internal/failpoint"
)

// Abandon is for a run that was cancelled. What it asked for and no provider has is forgotten; a job in which nothing is wanted
// any more is cancelled, at once if its provider can be asked here, or else when somebody looks after it. What was answered until
// then is kept: should the run be taken up again, it is there.
func (d *Desk) Abandon(ctx context.Context, run string, find Finder) error {
	if run == "" {
		return nil
	}
	failpoint.Hit(FailAbandon)
	jobs, err := d.records.unwant(ctx, run)
	if err != nil {
		return fmt.Errorf("forget what run %s waits for: %w", run, err)
	}
	failpoint.Hit(FailAbandoned)
	var all []error
	for _, label := range jobs {
		if err := d.ask(ctx, label, find); err != nil {
			all = append(all, fmt.Errorf("cancel batch %s: %w", label, err))
		}
	}
	return errors.Join(all...)
}

// unwant marks what a run has asked for, and returns the jobs that are to be cancelled.
func (r *records) unwant(ctx context.Context, run string) (labels []string, err error) {
	err = r.db.Write(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DELETE FROM items WHERE run = ?1 AND outcome IS NULL
				AND (job IS NULL OR job IN (SELECT label FROM jobs WHERE state = 'unsent'))`,
			`UPDATE items SET wanted = 0 WHERE run = ?1 AND outcome IS NULL`,
			`UPDATE jobs SET cancelled = 1 WHERE cancelled = 0 AND state IN ('submitting', 'submitted')
				AND EXISTS (SELECT 1 FROM items WHERE job = label AND run = ?1)
				AND NOT EXISTS (SELECT 1 FROM items WHERE job = label AND wanted AND outcome IS NULL)`,
			`DELETE FROM jobs WHERE state = 'unsent' AND NOT EXISTS (SELECT 1 FROM items WHERE job = label)`,
		} {
			if _, err := tx.ExecContext(ctx, statement, run); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	jobs, err := r.jobs(ctx, "cancelled = 1 AND state = 'submitted' AND EXISTS (SELECT 1 FROM items WHERE job = label AND run = ?)", run)
	for _, j := range jobs {
		labels = append(labels, j.label)
	}
	return labels, err
}

// Finder finds who speaks with a provider about a model's jobs. Its error tells the user what to do.
type Finder func(ctx context.Context, provider, model string) (llm.Batcher, error)
