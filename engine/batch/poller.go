package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"forge/engine/llm"
)

// poll manages the jobs that callers in this process wait for, until none waits.
func (q *Queue) poll() {
	for !q.waiters.idle() {
		again, err := q.round(q.ctx)
		if err != nil && q.ctx.Err() == nil {
			q.waiters.refuse(q.waiters.everybody(), unable(q.ctx, err))
			continue
		}
		q.rest(again)
	}
}

// rest waits until a time, or until there is news: at most until another process may have received an answer.
func (q *Queue) rest(until time.Time) {
	wait := q.records.options.Timing.Peek
	if left := until.Sub(q.records.options.Now()); !until.IsZero() && left < wait {
		wait = left
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-q.waiters.wake:
	case <-q.ctx.Done():
	}
}

// round does all due work, and returns when more is due.
func (q *Queue) round(ctx context.Context) (again time.Time, err error) {
	gathered, jobs, err := q.sort(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if again, err = q.place(ctx, gathered); err != nil {
		return again, err
	}
	labels := slices.Sorted(maps.Keys(jobs))
	dues, errs := make([]time.Time, len(labels)), make([]error, len(labels))
	var calls sync.WaitGroup
	for i, label := range labels {
		calls.Go(func() { dues[i], errs[i] = q.attend(ctx, label, jobs[label]) })
	}
	calls.Wait()
	for _, due := range dues {
		again = earlier(again, due)
	}
	return again, errors.Join(errs...)
}

// sort delivers outcomes, and returns the waiters for items without a job, and those for jobs.
func (q *Queue) sort(ctx context.Context) (gathered []*waiter, jobs map[string][]*waiter, err error) {
	waiters := q.waiters.everybody()
	keys := make([]string, len(waiters))
	for i, w := range waiters {
		keys[i] = w.key
	}
	items, err := q.records.standing(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	jobs = map[string][]*waiter{}
	for _, w := range waiters {
		switch i, known := items[w.key]; {
		case !known:
			q.waiters.give(w, llm.Response{}, fmt.Errorf("what was asked of %s by batch was cancelled", w.model))
		case i.outcome != nil:
			if err := q.records.delivered(ctx, w.key); err != nil {
				return nil, nil, err
			}
			response, err := i.outcome.result()
			q.waiters.give(w, response, err)
		case q.isOverdue(w):
			q.waiters.give(w, llm.Response{}, &llm.Error{Kind: llm.KindUnavailable, Model: w.model, Err: fmt.Errorf(
				"its batch could not be polled for %s; it is not lost (forge batch list shows it): %s", q.records.options.Timing.Limit, w.told.Trouble)})
		case i.job == "":
			w.alone = i.alone
			w.report(Waiting{State: Gathered, Since: w.since.UTC()})
			gathered = append(gathered, w)
		default:
			jobs[i.job] = append(jobs[i.job], w)
		}
	}
	return gathered, jobs, nil
}

// isOverdue reports whether a caller waited longer than any job takes. The item itself may still succeed.
func (q *Queue) isOverdue(w *waiter) bool {
	return q.records.options.Now().After(w.since.Add(q.records.options.Timing.Limit + 2*q.records.options.Timing.Late))
}

// attend makes the next call about a job, if it is due, and notifies its waiters. It returns when more is due.
func (q *Queue) attend(ctx context.Context, label string, waiters []*waiter) (again time.Time, err error) {
	j, mine, err := q.records.take(ctx, label, false)
	if err != nil {
		return again, err
	}
	if mine {
		if err := q.exchange.advance(ctx, j, waiters[0].batcher, true); err != nil {
			return again, err
		}
	}
	now, err := q.records.shown(ctx, label)
	if errors.Is(err, sql.ErrNoRows) { // its items were gathered again or cancelled
		return q.records.options.Now(), nil
	}
	if err != nil {
		return again, err
	}
	for _, w := range waiters {
		w.report(now.waiting())
	}
	if now.State == Ended {
		return q.records.options.Now(), nil
	}
	return now.next, nil
}

// advance makes the next call for a job. It submits the job only if submits is set.
func (x *exchange) advance(ctx context.Context, j job, b llm.Batcher, submits bool) error {
	switch {
	case j.state == Unsent && submits:
		return x.submit(ctx, j, b)
	case j.state == Submitting:
		return x.look(ctx, j, b)
	case j.state == Submitted:
		return x.inquire(ctx, j, b)
	}
	return x.records.settle(ctx, j)
}
