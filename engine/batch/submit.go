package batch

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/llm"
	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// exchange makes the calls about jobs to their providers, and stores the results.
type exchange struct {
	records *records
	waiters *waiters

	mu     sync.Mutex       // guards unsure
	unsure map[string]error // why it is unknown whether a job was submitted, by label
}

// submit submits a job to a provider, after recording that the provider may have it.
func (x *exchange) submit(ctx context.Context, j job, b llm.Batcher) error {
	items, err := x.records.requests(ctx, j.label)
	if err != nil {
		return err
	}
	if len(items) == 0 { // cancelled since then
		return x.records.dissolve(ctx, j.label, false)
	}
	j, begun, err := x.records.change(ctx, j.label, func(_ *sql.Tx, kept *job) (bool, error) {
		kept.state, kept.submitted, kept.looked = Submitting, x.records.options.Now(), time.Time{}
		kept.submits++
		return true, nil
	})
	if err != nil || !begun {
		return err
	}
	failpoint.Hit(FailSubmitting)
	calling, cancel := x.call(ctx)
	defer cancel()
	told, err := b.Submit(calling, j.label, items)
	if err != nil {
		return x.notSubmitted(ctx, j, err, len(items))
	}
	failpoint.Hit(FailAccepted)
	_ = x.sure(j.label)
	err = x.records.settle(ctx, x.accepted(j, told))
	failpoint.Hit(FailAcceptedKept)
	return err
}

// accepted returns a job that the provider has.
func (x *exchange) accepted(j job, told llm.BatchJob) job {
	j.state, j.id, j.expires, j.trouble, j.tries = Submitted, told.ID, told.Expires, "", 0
	j.due = x.records.options.Now().Add(x.records.options.Timing.Soon)
	return j
}

// notSubmitted records a failed submission. If the provider refused the job, its waiters get the error; if it has several items,
// each is tried alone, because one may be at fault. Otherwise it is unknown whether the provider has the job.
func (x *exchange) notSubmitted(ctx context.Context, j job, cause error, items int) error {
	j.trouble = trouble(cause)
	if items > 1 && isOfContent(cause) {
		j.state = Unsent
		if err := x.records.settle(ctx, j); err != nil {
			return err
		}
		return x.records.dissolve(ctx, j.label, true)
	}
	if isRefusal(cause) {
		j.state, j.forbidden = Unsent, x.records.options.Now().Add(retryAfter(cause))
		err := x.records.settle(ctx, j)
		x.refuseJob(ctx, j.label, cause)
		return err
	}
	x.doubt(j.label, cause)
	j.due = x.records.options.Now()
	return x.records.settle(ctx, j)
}

// isRefusal reports whether a provider stated that it did not accept a job.
func isRefusal(err error) bool {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return false
	}
	if failed.Unsent {
		return true
	}
	switch failed.Kind {
	case llm.KindTransient, llm.KindTruncated, llm.KindMissing, llm.KindLength:
		return false
	default:
		return true
	}
}

// isOfContent reports whether a provider refused the content of a request.
func isOfContent(err error) bool {
	return slices.Contains([]llm.Kind{llm.KindInvalid, llm.KindOverflow, llm.KindUnsupported, llm.KindRefused}, llm.KindOf(err))
}

// dissolve returns the items of a job that no provider has to the gathered ones.
func (r *records) dissolve(ctx context.Context, label string, alone bool) error {
	ctx = context.WithoutCancel(ctx)
	err := r.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE items SET job = NULL, alone = ? WHERE job = ?", alone, label); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM jobs WHERE label = ?", label)
		return err
	})
	if err != nil {
		return fmt.Errorf("dissolve batch %s: %w", label, err)
	}
	return nil
}

// look searches the provider's list for a job whose submission is in doubt.
func (x *exchange) look(ctx context.Context, j job, b llm.Batcher) error {
	calling, cancel := x.call(ctx)
	defer cancel()
	listed, err := b.List(calling, j.created.Add(-listSkew))
	if err != nil {
		return x.pollFailed(ctx, j, err)
	}
	if i := slices.IndexFunc(listed, func(told llm.BatchJob) bool { return told.Label == j.label }); i >= 0 {
		failpoint.Hit(FailFound)
		_ = x.sure(j.label)
		j = x.accepted(j, listed[i])
		j.due = x.records.options.Now()
		return x.records.settle(ctx, j)
	}
	maybe, err := x.mayBe(ctx, j, listed)
	if err != nil {
		return err
	}
	if maybe {
		j.tries++
		j.looked, j.due = time.Time{}, x.records.options.Now().Add(x.pace(j.tries))
		return x.records.settle(ctx, j)
	}
	failpoint.Hit(FailLook)
	return x.notListed(ctx, j)
}

// The tolerated difference between the provider's clock and ours: for queries, and for recognizing our jobs.
const (
	listSkew  = time.Hour
	matchSkew = 5 * time.Minute
)

// mayBe reports whether a list has a job that may be ours: one without a label, of matching size and age, that is not recorded
// here. Its label is unknown until it has ended.
func (x *exchange) mayBe(ctx context.Context, j job, listed []llm.BatchJob) (bool, error) {
	shown, err := x.records.show(ctx, j)
	if err != nil {
		return false, err
	}
	first, last := j.submitted.Add(-matchSkew), j.submitted.Add(x.records.options.Timing.Call+matchSkew)
	for _, told := range listed {
		if told.Label != "" || told.Ended || told.Submitted.Before(first) || told.Submitted.After(last) || told.Items != 0 && told.Items != shown.Items {
			continue
		}
		known, err := x.records.jobs(ctx, "id = ?", told.ID)
		if err != nil {
			return false, err
		}
		if len(known) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// notListed records that a list lacks a job: after the second time it counts as not submitted.
func (x *exchange) notListed(ctx context.Context, j job) error {
	now := x.records.options.Now()
	if j.looked.IsZero() {
		j.looked, j.due = now, now.Add(x.records.options.Timing.Settle)
		return x.records.settle(ctx, j)
	}
	if early := j.looked.Add(x.records.options.Timing.Settle); early.After(now) { // the user polled early
		j.due = early
		return x.records.settle(ctx, j)
	}
	j.state, j.due, j.looked, j.tries = Unsent, now, time.Time{}, 0
	err := x.records.settle(ctx, j)
	if cause := x.sure(j.label); cause != nil {
		x.refuseJob(ctx, j.label, cause)
	}
	return err
}

// doubt records why it is unknown whether a job was submitted.
func (x *exchange) doubt(label string, cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unsure[label] = cause
}

// sure removes and returns the doubt; nil if another process had it.
func (x *exchange) sure(label string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	cause := x.unsure[label]
	delete(x.unsure, label)
	return cause
}

// refuseJob passes an error to the waiters of a job in this process.
func (x *exchange) refuseJob(ctx context.Context, label string, cause error) {
	items, err := x.records.items(context.WithoutCancel(ctx), "SELECT "+itemColumns+" FROM items WHERE job = ? AND outcome IS NULL", label)
	if err != nil {
		cause = errors.Join(cause, err)
	}
	mine := map[string]bool{}
	for _, i := range items {
		mine[i.key] = true
	}
	for _, w := range x.waiters.everybody() {
		if mine[w.key] {
			x.waiters.give(w, llm.Response{}, cause)
		}
	}
}

// call limits one call to a provider: it ends before the right to make it does.
func (x *exchange) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, x.records.options.Timing.Call*9/10, fmt.Errorf("it took longer than %s", x.records.options.Timing.Call*9/10))
}

// place puts gathered items into jobs: those of a line that has waited long enough, or has as many as a provider accepts.
// It returns when to check again: now, if it made a job.
func (q *Queue) place(ctx context.Context, gathered []*waiter) (again time.Time, err error) {
	lines := map[line][]*waiter{}
	var order []line
	for _, w := range gathered {
		if lines[w.line] == nil {
			order = append(order, w.line)
		}
		lines[w.line] = append(lines[w.line], w)
	}
	for _, l := range order {
		over := lines[l][0].since.Add(q.records.options.Timing.Gather)
		for some, rest := q.load(lines[l]); len(some) > 0; some, rest = q.load(rest) {
			if len(rest) == 0 && !q.isFull(some) && q.records.options.Now().Before(over) {
				again = earlier(again, over)
				break
			}
			if err := q.records.label(ctx, l, some); err != nil {
				return again, err
			}
			again = q.records.options.Now()
		}
	}
	return again, nil
}

// load splits off the items that fit into one job: at least one, however large.
func (q *Queue) load(all []*waiter) (some, rest []*waiter) {
	size := 0
	for n, w := range all {
		if size += w.size; n > 0 && (size > q.records.options.MaxBytes || n == q.records.options.MaxItems || w.alone || all[0].alone) {
			return all[:n], all[n:]
		}
	}
	return all, nil
}

func (q *Queue) isFull(some []*waiter) bool {
	size := 0
	for _, w := range some {
		size += w.size
	}
	return len(some) == q.records.options.MaxItems || size >= q.records.options.MaxBytes || some[0].alone
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
