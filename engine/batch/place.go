package batch

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// place puts gathered items into jobs: those of a line that has waited long enough, or has as many as a provider accepts.
// It returns when to check again: now, if it made a job.
func (d *Desk) place(ctx context.Context, gathered []*waiter) (again time.Time, err error) {
	lines := map[line][]*waiter{}
	var order []line
	for _, w := range gathered {
		if lines[w.line] == nil {
			order = append(order, w.line)
		}
		lines[w.line] = append(lines[w.line], w)
	}
	for _, l := range order {
		over := lines[l][0].since.Add(d.records.options.Timing.Gather)
		for some, rest := d.load(lines[l]); len(some) > 0; some, rest = d.load(rest) {
			if len(rest) == 0 && !d.isFull(some) && d.records.options.Now().Before(over) {
				again = earlier(again, over)
				break
			}
			if err := d.records.label(ctx, l, some); err != nil {
				return again, err
			}
			again = d.records.options.Now()
		}
	}
	return again, nil
}

// load splits off the items that fit into one job: at least one, however large.
func (d *Desk) load(all []*waiter) (some, rest []*waiter) {
	size := 0
	for n, w := range all {
		if size += w.size; n > 0 && (size > d.records.options.MaxBytes || n == d.records.options.MaxItems || w.alone || all[0].alone) {
			return all[:n], all[n:]
		}
	}
	return all, nil
}

func (d *Desk) isFull(some []*waiter) bool {
	size := 0
	for _, w := range some {
		size += w.size
	}
	return len(some) == d.records.options.MaxItems || size >= d.records.options.MaxBytes || some[0].alone
}

// label makes a job of items that are still in none. It is due at once, or when the provider's waiting time is over.
func (r *records) label(ctx context.Context, l line, some []*waiter) error {
	label, now := "forge-"+strings.ToLower(rand.Text()), sqlite.Unix(r.options.Now())
	failpoint.Hit(FailLabel)
	err := r.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO jobs (label, provider, model, state, created, due, forbidden)
			VALUES (?1, ?2, ?3, ?4, ?5, ?5, (SELECT COALESCE(MAX(forbidden), 0) FROM jobs WHERE provider = ?2))`,
			label, l.provider, l.model, Unsent, now)
		if err != nil {
			return err
		}
		for _, w := range some {
			if _, err := tx.ExecContext(ctx, "UPDATE items SET job = ? WHERE key = ? AND job IS NULL AND outcome IS NULL", label, w.key); err != nil {
				return err
			}
		}
		// Another process may have placed all of them.
		_, err = tx.ExecContext(ctx, "DELETE FROM jobs WHERE label = ?1 AND NOT EXISTS (SELECT 1 FROM items WHERE job = ?1)", label)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the label of a batch: %w", err)
	}
	failpoint.Hit(FailLabelled)
	return nil
}

// earlier returns the earlier of two times, ignoring zero ones.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
