package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"forge/engine/llm"
	"forge/internal/failpoint"
)

// Abandon handles a cancelled run. Its items that no provider has are deleted. A job without wanted items is cancelled: at once
// if its provider can be called here, otherwise by the next process that manages it. Answers that arrived before are kept for a
// resumed run.
func (q *Queue) Abandon(ctx context.Context, run string, find Finder) error {
	if run == "" {
		return nil
	}
	failpoint.Hit(FailAbandon)
	jobs, err := q.records.unwant(ctx, run)
	if err != nil {
		return fmt.Errorf("forget what run %s waits for: %w", run, err)
	}
	failpoint.Hit(FailAbandoned)
	var all []error
	for _, label := range jobs {
		if err := q.ask(ctx, label, find); err != nil {
			all = append(all, fmt.Errorf("cancel batch %s: %w", label, err))
		}
	}
	return errors.Join(all...)
}

// unwant marks the items of a run as unwanted, and returns the jobs to cancel.
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

// Finder returns the batch interface of a provider for a model's jobs. Its error describes what the user can do.
type Finder func(ctx context.Context, provider, model string) (llm.Batcher, error)
