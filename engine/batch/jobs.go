package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/flow"
	"forge/internal/sqlite"
)

// job is one stored job.
type job struct {
	label                              string
	line                               line
	state                              State
	id                                 string
	created, submitted, expires, ended time.Time
	submits                            int       // how often it was submitted
	looked                             time.Time // when a list first lacked it
	due, forbidden                     time.Time // when to ask next; until when asking is forbidden
	tries                              int
	trouble                            string
	cancelled                          cancellation
	owner                              flow.Owner
	leased                             time.Time
}

// cancellation is the progress of cancelling a job.
type cancellation int

const (
	wanted    cancellation = iota
	unwanted               // no waiter is left: the provider must be asked to cancel
	cancelled              // the provider was asked
)

const jobColumns = `label, provider, model, state, id, created, submitted, submits, expires, ended, looked, due, forbidden, tries, trouble, cancelled,
	host, pid, born, leased`

func scanJob(row sqlite.Row) (j job, err error) {
	var times [8]int64
	err = row.Scan(&j.label, &j.line.provider, &j.line.model, &j.state, &j.id, &times[0], &times[1], &j.submits, &times[2], &times[3], &times[4], &times[5],
		&times[6], &j.tries, &j.trouble, &j.cancelled, &j.owner.Host, &j.owner.PID, &j.owner.Born, &times[7])
	for i, at := range []*time.Time{&j.created, &j.submitted, &j.expires, &j.ended, &j.looked, &j.due, &j.forbidden, &j.leased} {
		*at = sqlite.Time(times[i])
	}
	return j, err
}

// jobs reads jobs from the file.
func (r *records) jobs(ctx context.Context, where string, args ...any) ([]job, error) {
	all, err := sqlite.All(ctx, r.db.Read(), scanJob, "SELECT "+jobColumns+" FROM jobs WHERE "+where+" ORDER BY created, label", args...)
	return all, r.db.Explain(err)
}

// isFree reports whether no process makes a call about a job: its process has ended, or its time is over.
func (r *records) isFree(j job) bool {
	return j.owner == (flow.Owner{}) || !j.leased.After(r.options.Now()) || j.owner.Host == r.owner.Host && !j.owner.Alive()
}

// change changes a job in one transaction. may gets the current job, changes it, and reports whether to write it.
func (r *records) change(ctx context.Context, label string, may func(tx *sql.Tx, j *job) (bool, error)) (j job, changed bool, err error) {
	err = r.db.Write(ctx, func(tx *sql.Tx) (err error) {
		if j, err = scanJob(tx.QueryRowContext(ctx, "SELECT "+jobColumns+" FROM jobs WHERE label = ?", label)); err != nil {
			return err
		}
		was := j.state
		if changed, err = may(tx, &j); err != nil || !changed {
			return err
		}
		if j.state != was && !slices.Contains(next[was], j.state) {
			return fmt.Errorf("a job that is %s cannot become %s", was, j.state)
		}
		return writeJob(ctx, tx, j)
	})
	if err != nil {
		return j, false, fmt.Errorf("store batch %s: %w", label, err)
	}
	return j, changed, nil
}

func writeJob(ctx context.Context, tx *sql.Tx, j job) error {
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = ?, id = ?, submitted = ?, submits = ?, expires = ?, ended = ?, looked = ?, due = ?, forbidden = ?,
		tries = ?, trouble = ?, cancelled = ?, host = ?, pid = ?, born = ?, leased = ? WHERE label = ?`,
		j.state, j.id, sqlite.Unix(j.submitted), j.submits, sqlite.Unix(j.expires), sqlite.Unix(j.ended), sqlite.Unix(j.looked), sqlite.Unix(j.due), sqlite.Unix(j.forbidden),
		j.tries, j.trouble, j.cancelled, j.owner.Host, j.owner.PID, j.owner.Born, sqlite.Unix(j.leased), j.label)
	return err
}

// take takes the right to make a call about a job, if it is due and no other process has the right. A user's request need not
// wait until it is due, but must respect the provider's waiting time.
func (r *records) take(ctx context.Context, label string, person bool) (job, bool, error) {
	j, mine, err := r.change(ctx, label, func(_ *sql.Tx, j *job) (bool, error) {
		now := r.options.Now()
		if j.state == Ended || !r.isFree(*j) || j.forbidden.After(now) || !person && j.due.After(now) {
			return false, nil
		}
		j.owner, j.leased = r.owner, now.Add(r.options.Timing.Call)
		return true, nil
	})
	if errors.Is(err, sql.ErrNoRows) { // cancelled since then
		return j, false, nil
	}
	return j, mine, err
}

// settle stores the result of a call about a job, and returns the right to make one.
func (r *records) settle(ctx context.Context, j job) error {
	// A provider's reply is stored even if the queue is closed at this moment.
	_, _, err := r.change(context.WithoutCancel(ctx), j.label, func(_ *sql.Tx, kept *job) (bool, error) {
		j.owner, j.leased = flow.Owner{}, time.Time{}
		if j.cancelled != cancelled {
			j.cancelled = kept.cancelled // another process may have changed it
		}
		*kept = j
		return true, nil
	})
	return err
}

// State is the state of a job.
type State string

// The states of a job. Gathered applies to items without a job.
const (
	Gathered   State = "gathered"
	Submitting State = "submitting" // the provider may have it: see Queue
	Unsent     State = "unsent"     // the provider does not have it; the next request for one of its items submits it
	Submitted  State = "submitted"  // the provider has it
	Ended      State = "ended"      // each of its items has an outcome
)

// next lists the legal changes of states.
var next = map[State][]State{
	Submitting: {Submitted, Unsent},
	Unsent:     {Submitting},
	Submitted:  {Ended},
}
