package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/llm"
)

// ErrNoJob means that no batch has the given id.
var ErrNoJob = errors.New("there is no such batch")

// Poll asks the providers now for the state of the open jobs, or of the one with an id or a label, and keeps the available
// answers for resumed runs. It submits nothing. It returns the current jobs; the error names the jobs that could not be polled.
func (d *Desk) Poll(ctx context.Context, id string, find Finder) ([]Job, error) {
	jobs, err := d.Jobs(ctx, Filter{ID: id, Open: id == ""})
	if err != nil {
		return nil, err
	}
	if id != "" && len(jobs) == 0 {
		return nil, fmt.Errorf("batch %s: %w", id, ErrNoJob)
	}
	var all []error
	for i, j := range jobs {
		if j.Label == "" || !j.IsOpen() {
			continue
		}
		if err := d.ask(ctx, j.Label, find); err != nil {
			all = append(all, fmt.Errorf("batch %s: %w", j.Name(), err))
		}
		if jobs[i], err = d.records.shown(ctx, j.Label); err != nil {
			return nil, err
		}
	}
	d.waiters.nudge()
	return jobs, errors.Join(all...)
}

// Name is the job's name for users: the provider's id, or the label.
func (j Job) Name() string {
	if j.ID != "" {
		return j.ID
	}
	return j.Label
}

// ask makes the next call about a job now, unless another process does or the provider's waiting time is not over.
func (d *Desk) ask(ctx context.Context, label string, find Finder) error {
	known, err := d.records.shown(ctx, label)
	if err != nil {
		return err
	}
	b, err := d.batcher(ctx, line{known.Provider, known.Model}, find)
	if err != nil {
		return err
	}
	j, mine, err := d.records.take(ctx, label, true)
	if err != nil || !mine {
		return err
	}
	if err := d.exchange.advance(ctx, j, b, false); err != nil {
		return err
	}
	after, err := d.records.shown(ctx, label)
	if err == nil && after.Trouble != "" {
		err = errors.New(after.Trouble)
	}
	return err
}

// batcher returns the batch interface of a provider: that of a waiting model, or one that find returns.
func (d *Desk) batcher(ctx context.Context, l line, find Finder) (llm.Batcher, error) {
	for _, w := range d.waiters.everybody() {
		if w.line == l {
			return w.batcher, nil
		}
	}
	if find == nil {
		return nil, fmt.Errorf("no client for %s is configured", l.provider)
	}
	return find(ctx, l.provider, l.model)
}

// Await polls at suitable intervals until no job is open, and reports each round. An id chooses one job.
func (d *Desk) Await(ctx context.Context, id string, find Finder, tell func([]Job, error)) error {
	for {
		jobs, err := d.Poll(ctx, id, find)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if jobs == nil {
			return err
		}
		tell(jobs, err)
		var again time.Time
		for _, j := range jobs {
			if j.Label != "" && j.IsOpen() && j.State != Unsent {
				again = earlier(again, j.next)
			}
		}
		if again.IsZero() {
			return err
		}
		if err := llm.Pause(ctx, max(again.Sub(d.records.options.Now()), d.records.options.Timing.Peek)); err != nil {
			return err
		}
	}
}
