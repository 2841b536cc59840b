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

// poll looks after the jobs that somebody waits for in this process, until nobody does.
func (d *Desk) poll() {
	for !d.waiters.idle() {
		again, err := d.round(d.ctx)
		if err != nil && d.ctx.Err() == nil {
			d.waiters.refuse(d.waiters.everybody(), unable(d.ctx, err))
			continue
		}
		d.rest(again)
	}
}

// rest waits until a moment, or until there is something new: at most until another process may have got an answer.
func (d *Desk) rest(until time.Time) {
	wait := d.records.options.Timing.Peek
	if left := until.Sub(d.records.options.Now()); !until.IsZero() && left < wait {
		wait = left
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.waiters.wake:
	case <-d.ctx.Done():
	}
}

// round does what is to be done now, and returns when there is more.
func (d *Desk) round(ctx context.Context) (again time.Time, err error) {
	gathered, jobs, err := d.sort(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if again, err = d.place(ctx, gathered); err != nil {
		return again, err
	}
	labels := slices.Sorted(maps.Keys(jobs))
	dues, errs := make([]time.Time, len(labels)), make([]error, len(labels))
	var calls sync.WaitGroup
	for i, label := range labels {
		calls.Go(func() { dues[i], errs[i] = d.attend(ctx, label, jobs[label]) })
	}
	calls.Wait()
	for _, due := range dues {
		again = earlier(again, due)
	}
	return again, errors.Join(errs...)
}

// sort delivers what has an outcome, and finds who waits for an item that is in no job, and for which jobs the others do.
func (d *Desk) sort(ctx context.Context) (gathered []*waiter, jobs map[string][]*waiter, err error) {
	waiters := d.waiters.everybody()
	keys := make([]string, len(waiters))
	for i, w := range waiters {
		keys[i] = w.key
	}
	items, err := d.records.standing(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	jobs = map[string][]*waiter{}
	for _, w := range waiters {
		switch i, known := items[w.key]; {
		case !known:
			d.waiters.give(w, llm.Response{}, fmt.Errorf("what was asked of %s by batch was cancelled", w.model))
		case i.outcome != nil:
			if err := d.records.delivered(ctx, w.key); err != nil {
				return nil, nil, err
			}
			response, err := i.outcome.result()
			d.waiters.give(w, response, err)
		case d.isHopeless(w):
			d.waiters.give(w, llm.Response{}, &llm.Error{Kind: llm.KindUnavailable, Model: w.model, Err: fmt.Errorf(
				"nothing could be learned of its batch in %s, which is not lost (forge batch list shows it): %s", d.records.options.Timing.Limit, w.told.Trouble)})
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

// isHopeless reports whether somebody waited here longer than any job takes. It is no statement about the item.
func (d *Desk) isHopeless(w *waiter) bool {
	return d.records.options.Now().After(w.since.Add(d.records.options.Timing.Limit + 2*d.records.options.Timing.Late))
}

// attend makes the next call about a job, if it is due, and tells those who wait how the job is. It returns when there is more to do.
func (d *Desk) attend(ctx context.Context, label string, waiters []*waiter) (again time.Time, err error) {
	j, mine, err := d.records.take(ctx, label, false)
	if err != nil {
		return again, err
	}
	if mine {
		if err := d.exchange.advance(ctx, j, waiters[0].batcher, true); err != nil {
			return again, err
		}
	}
	now, err := d.records.shown(ctx, label)
	if errors.Is(err, sql.ErrNoRows) { // its items are gathered again, or were cancelled
		return d.records.options.Now(), nil
	}
	if err != nil {
		return again, err
	}
	for _, w := range waiters {
		w.report(now.waiting())
	}
	if now.State == Ended {
		return d.records.options.Now(), nil
	}
	return now.next, nil
}

// advance makes the call that a job needs next. Who only looks after it does not submit it.
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
