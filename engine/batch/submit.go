package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/llm"
	"forge/internal/failpoint"
)

// submit gives a job to a provider. That it may have it is kept before.
func (d *Desk) submit(ctx context.Context, j job, b llm.Batcher) error {
	items, err := d.requests(ctx, j.label)
	if err != nil {
		return err
	}
	if len(items) == 0 { // they were cancelled meanwhile
		return d.dissolve(ctx, j.label, false)
	}
	j, begun, err := d.change(ctx, j.label, func(_ *sql.Tx, kept *job) (bool, error) {
		kept.state, kept.submitted, kept.looked = Submitting, d.options.Now(), time.Time{}
		kept.submits++
		return true, nil
	})
	if err != nil || !begun {
		return err
	}
	failpoint.Hit(FailSubmitting)
	calling, cancel := d.call(ctx)
	defer cancel()
	told, err := b.Submit(calling, j.label, items)
	if err != nil {
		return d.notSubmitted(ctx, j, err, len(items))
	}
	failpoint.Hit(FailAccepted)
	_ = d.sure(j.label)
	err = d.settle(ctx, d.accepted(j, told))
	failpoint.Hit(FailAcceptedKept)
	return err
}

// accepted is a job that the provider has.
func (d *Desk) accepted(j job, told llm.BatchJob) job {
	j.state, j.id, j.expires, j.trouble, j.tries = Submitted, told.ID, told.Expires, "", 0
	j.due = d.options.Now().Add(d.options.Timing.Soon)
	return j
}

// notSubmitted keeps that a submission failed. Where the provider refused it, it has no job, and who waits is told; but one of several
// items may be to blame, so each of them is tried alone. Otherwise it is to be found out.
func (d *Desk) notSubmitted(ctx context.Context, j job, cause error, items int) error {
	j.trouble = trouble(cause)
	if items > 1 && isOfContent(cause) {
		j.state = Unsent
		if err := d.settle(ctx, j); err != nil {
			return err
		}
		return d.dissolve(ctx, j.label, true)
	}
	if isRefusal(cause) {
		j.state, j.forbidden = Unsent, d.options.Now().Add(retryAfter(cause))
		err := d.settle(ctx, j)
		d.refuseJob(ctx, j.label, cause)
		return err
	}
	d.doubt(j.label, cause)
	j.due = d.options.Now()
	return d.settle(ctx, j)
}

// isRefusal reports whether a provider has said that it did not take a job.
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

// isOfContent reports whether it is what was asked that a provider refused.
func isOfContent(err error) bool {
	switch kindOf(err) {
	case llm.KindInvalid, llm.KindOverflow, llm.KindUnsupported, llm.KindRefused:
		return true
	default:
		return false
	}
}

// dissolve makes the items of a job that no provider has gathered again.
func (d *Desk) dissolve(ctx context.Context, label string, alone bool) error {
	ctx = context.WithoutCancel(ctx)
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE items SET job = NULL, alone = ? WHERE job = ?", alone, label); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM jobs WHERE label = ?", label)
		return err
	})
	if err != nil {
		return fmt.Errorf("take batch %s apart: %w", label, err)
	}
	return nil
}

// look looks for a job of which nobody knows whether it was submitted in the list of the provider's jobs.
func (d *Desk) look(ctx context.Context, j job, b llm.Batcher) error {
	calling, cancel := d.call(ctx)
	defer cancel()
	listed, err := b.List(calling, j.created.Add(-listSkew))
	if err != nil {
		return d.inVain(ctx, j, err)
	}
	if i := slices.IndexFunc(listed, func(told llm.BatchJob) bool { return told.Label == j.label }); i >= 0 {
		failpoint.Hit(FailFound)
		_ = d.sure(j.label)
		j = d.accepted(j, listed[i])
		j.due = d.options.Now()
		return d.settle(ctx, j)
	}
	maybe, err := d.mayBe(ctx, j, listed)
	if err != nil {
		return err
	}
	if maybe {
		j.tries++
		j.looked, j.due = time.Time{}, d.options.Now().Add(d.pace(j.tries))
		return d.settle(ctx, j)
	}
	failpoint.Hit(FailLook)
	return d.notListed(ctx, j)
}

// How far the clock of a provider may be from ours: of what is asked for, and of what is taken for one of ours.
const (
	listSkew  = time.Hour
	matchSkew = 5 * time.Minute
)

// mayBe reports whether a list has a job that may be ours: one without a label, as big and as old, that nobody here knows. Until it
// has ended, and says its label, nobody can tell.
func (d *Desk) mayBe(ctx context.Context, j job, listed []llm.BatchJob) (bool, error) {
	shown, err := d.show(ctx, j)
	if err != nil {
		return false, err
	}
	first, last := j.submitted.Add(-matchSkew), j.submitted.Add(d.options.Timing.Call+matchSkew)
	for _, told := range listed {
		if told.Label != "" || told.Ended || told.Submitted.Before(first) || told.Submitted.After(last) || told.Items != 0 && told.Items != shown.Items {
			continue
		}
		known, err := d.jobs(ctx, "id = ?", told.ID)
		if err != nil {
			return false, err
		}
		if len(known) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// notListed keeps that a list is without a job: after the second time it was not submitted.
func (d *Desk) notListed(ctx context.Context, j job) error {
	now := d.options.Now()
	if j.looked.IsZero() {
		j.looked, j.due = now, now.Add(d.options.Timing.Settle)
		return d.settle(ctx, j)
	}
	if early := j.looked.Add(d.options.Timing.Settle); early.After(now) { // a person asked meanwhile
		j.due = early
		return d.settle(ctx, j)
	}
	j.state, j.due, j.looked, j.tries = Unsent, now, time.Time{}, 0
	err := d.settle(ctx, j)
	if cause := d.sure(j.label); cause != nil {
		d.refuseJob(ctx, j.label, cause)
	}
	return err
}

// doubt notes why it is not known whether a job was submitted.
func (d *Desk) doubt(label string, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsure[label] = cause
}

// sure forgets the doubt, and returns what it was; nil if another process had it.
func (d *Desk) sure(label string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	cause := d.unsure[label]
	delete(d.unsure, label)
	return cause
}

// refuseJob gives an error to whoever waits for an item of a job here.
func (d *Desk) refuseJob(ctx context.Context, label string, cause error) {
	items, err := d.items(context.WithoutCancel(ctx), "SELECT "+itemColumns+" FROM items WHERE job = ? AND outcome IS NULL", label)
	if err != nil {
		cause = errors.Join(cause, err)
	}
	mine := map[string]bool{}
	for _, i := range items {
		mine[i.key] = true
	}
	for _, w := range d.everybody() {
		if mine[w.key] {
			d.give(w, llm.Response{}, cause)
		}
	}
}

// call bounds one call of a provider: it ends before the right to make it does.
func (d *Desk) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.options.Timing.Call*9/10, fmt.Errorf("it took longer than %s", d.options.Timing.Call*9/10))
}
