package batch

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"forge/engine/flow"
	"forge/engine/llm"
	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// inquire asks the provider for the state of a job, and fetches the answers when it has ended.
func (x *exchange) inquire(ctx context.Context, j job, b llm.Batcher) error {
	calling, cancel := x.call(ctx)
	defer cancel()
	if j.cancelled == unwanted {
		if err := b.Cancel(calling, j.id); err != nil {
			return x.pollFailed(ctx, j, err)
		}
		failpoint.Hit(FailCancelled)
		j.cancelled = cancelled
	}
	if j.submits > 1 && j.tries == 0 {
		if err := x.cancelTwins(calling, j, b); err != nil {
			return x.pollFailed(ctx, j, err)
		}
	}
	told, err := b.Poll(calling, j.id)
	if err != nil {
		return x.pollFailed(ctx, j, err)
	}
	if !told.Expires.IsZero() {
		j.expires = told.Expires
	}
	j.trouble = ""
	if told.Ended {
		results, err := b.Results(calling, j.id)
		if err != nil {
			return x.pollFailed(ctx, j, err)
		}
		return x.records.end(ctx, j, results)
	}
	if x.isOverdue(j) {
		_ = b.Cancel(calling, j.id) // waiters ask again; a failed cancellation has no remedy
		return x.records.end(ctx, j, nil)
	}
	j.tries++
	j.due = x.records.options.Now().Add(x.pace(j.tries))
	return x.records.settle(ctx, j)
}

// cancelTwins cancels jobs with the same label that were listed too late to be found. Their answers are not used.
func (x *exchange) cancelTwins(ctx context.Context, j job, b llm.Batcher) error {
	listed, err := b.List(ctx, j.created.Add(-listSkew))
	if err != nil {
		return err
	}
	for _, twin := range listed {
		if twin.Label == j.label && twin.ID != j.id && !twin.Ended {
			if err := b.Cancel(ctx, twin.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOverdue reports whether a job exceeded the time limit of jobs.
func (x *exchange) isOverdue(j job) bool {
	return !x.records.options.Now().Before(j.submitted.Add(x.records.options.Timing.Limit))
}

// pace returns the wait after failed polls: each wait is longer than the last by half.
func (x *exchange) pace(tries int) time.Duration {
	wait := x.records.options.Timing.Soon
	for range tries {
		if wait += wait / 2; wait >= x.records.options.Timing.Late {
			return x.records.options.Timing.Late
		}
	}
	return wait
}

// pollFailed records a failed poll. An error that only the user can fix goes to the waiters: the job stays open, and its answers can be
// fetched later. A job that is unknown to its provider after its time limit has expired.
func (x *exchange) pollFailed(ctx context.Context, j job, cause error) error {
	if ctx.Err() != nil { // the queue is closed
		return x.records.settle(ctx, j)
	}
	forever := isRefusal(cause) && !mayPass(cause)
	if forever && llm.KindOf(cause) == llm.KindInvalid && j.state == Submitted && x.isOverdue(j) {
		return x.records.end(ctx, j, nil)
	}
	j.tries++
	j.trouble = trouble(cause)
	j.due = x.records.options.Now().Add(x.pace(j.tries))
	if asked := retryAfter(cause); asked > 0 {
		j.forbidden = x.records.options.Now().Add(asked)
	}
	err := x.records.settle(ctx, j)
	if forever {
		x.refuseJob(ctx, j.label, fmt.Errorf("ask about batch %s, which is not lost (forge batch poll asks again): %w", cmp.Or(j.id, j.label), cause))
	}
	return err
}

// mayPass reports whether a retry may succeed.
func mayPass(err error) bool {
	kind := llm.KindOf(err)
	return kind == llm.KindRateLimited || kind == llm.KindUnavailable
}

func retryAfter(err error) time.Duration {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.RetryAfter
	}
	return 0
}

// trouble returns the message of a failed call in a form that may be stored.
func trouble(err error) string {
	const most = 500
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") // the cut may go through a character
	}
	return text
}

// end stores the results of a job's items. An item without a result has expired; an unwanted one is deleted.
func (r *records) end(ctx context.Context, j job, results map[string]llm.BatchResult) error {
	failpoint.Hit(FailResults)
	ctx = context.WithoutCancel(ctx) // billed answers are kept
	now := r.options.Now()
	_, _, err := r.change(ctx, j.label, func(tx *sql.Tx, kept *job) (bool, error) {
		if kept.state != Submitted {
			return false, nil // another process was faster
		}
		keys, err := wantedOf(ctx, tx, j.label)
		if err != nil {
			return false, err
		}
		for key, isWanted := range keys {
			o := expired(j.line.model)
			if result, answered := results[key]; answered {
				o = outcomeOf(result, j.line.model)
			}
			if err := endItem(ctx, tx, key, o, isWanted, sqlite.Unix(now)); err != nil {
				return false, err
			}
		}
		j.state, j.ended, j.due, j.owner, j.leased = Ended, now, time.Time{}, flow.Owner{}, time.Time{}
		*kept = j
		return true, nil
	})
	if err != nil {
		return err
	}
	failpoint.Hit(FailResultsKept)
	return nil
}

func endItem(ctx context.Context, tx *sql.Tx, key string, o outcome, isWanted bool, now int64) error {
	if o.isMissing() && !isWanted {
		_, err := tx.ExecContext(ctx, "DELETE FROM items WHERE key = ?", key)
		return err
	}
	kept, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE items SET outcome = ?, answered = ?, request = NULL WHERE key = ?", kept, now, key)
	return err
}

// wantedOf returns the items of a job without an outcome, and whether any is wanted.
func wantedOf(ctx context.Context, tx *sql.Tx, label string) (keys map[string]bool, err error) {
	keys = map[string]bool{}
	_, err = sqlite.All(ctx, tx, func(row sqlite.Row) (key string, err error) {
		var isWanted bool
		err = row.Scan(&key, &isWanted)
		keys[key] = isWanted
		return key, err
	}, "SELECT key, wanted FROM items WHERE job = ? AND outcome IS NULL", label)
	return keys, err
}
