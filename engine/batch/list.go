package batch

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"forge/internal/sqlite"
)

// Job is a job as users see it, or items that are in none yet: then it has no label.
type Job struct {
	Label     string
	ID        string // the provider's id; empty until it is known
	Provider  string
	Model     string
	State     State
	Cancelled bool // its answers are no longer wanted
	Items     int
	Answered  int // number of items with a result, good or bad
	Missing   int // number of expired items
	Runs      []string
	Created   time.Time // when it got its label, or its first item was requested
	Submitted time.Time // zero until then
	Expires   time.Time // zero if the provider does not report it
	Ended     time.Time // zero until then
	Trouble   string    // error of the last call to the provider

	next time.Time // time of the next action
}

// IsOpen reports whether answers are outstanding.
func (j Job) IsOpen() bool { return j.State != Ended }

func (j Job) waiting() Waiting {
	since := j.Submitted
	if since.IsZero() {
		since = j.Created
	}
	return Waiting{State: j.State, ID: j.ID, Items: j.Items, Since: since, Trouble: j.Trouble}
}

// Filter chooses jobs. The zero value chooses all.
type Filter struct {
	ID   string // a provider's id or a label
	Run  string // a run that waits for an item of the job
	Open bool   // only jobs with outstanding answers
}

// Jobs returns the jobs that a filter chooses, the newest first, preceded by items without a job.
func (d *Desk) Jobs(ctx context.Context, f Filter) ([]Job, error) {
	all, err := d.records.list(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list the batches: %w", d.records.db.Explain(err))
	}
	return all, nil
}

func (r *records) list(ctx context.Context, f Filter) ([]Job, error) {
	all, err := r.loose(ctx, f)
	if err != nil {
		return nil, err
	}
	jobs, err := r.jobs(ctx, `(?1 = '' OR id = ?1 OR label = ?1) AND (NOT ?3 OR state <> 'ended')
		AND (?2 = '' OR EXISTS (SELECT 1 FROM items WHERE job = label AND run = ?2))`, f.ID, f.Run, f.Open)
	if err != nil {
		return nil, err
	}
	for i := len(jobs) - 1; i >= 0; i-- {
		shown, err := r.show(ctx, jobs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

// shown returns one job.
func (r *records) shown(ctx context.Context, label string) (Job, error) {
	jobs, err := r.jobs(ctx, "label = ?", label)
	if err == nil && len(jobs) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return Job{}, fmt.Errorf("read batch %s: %w", label, err)
	}
	return r.show(ctx, jobs[0])
}

func (r *records) show(ctx context.Context, j job) (Job, error) {
	shown := Job{
		Label: j.label, ID: j.id, Provider: j.line.provider, Model: j.line.model, State: j.state, Cancelled: j.cancelled != wanted,
		Created: j.created, Submitted: j.submitted, Expires: j.expires, Ended: j.ended, Trouble: j.trouble, next: j.due,
	}
	if j.forbidden.After(shown.next) {
		shown.next = j.forbidden
	}
	if !r.isFree(j) {
		shown.next = j.leased
	}
	if j.id == "" {
		shown.Submitted = time.Time{}
	}
	var runs string
	err := r.db.Read().QueryRowContext(ctx, `SELECT count(*), count(outcome), count(*) FILTER (WHERE json_extract(outcome, '$.Failure.Kind') = 'missing'),
		coalesce(group_concat(DISTINCT nullif(run, '')), '') FROM items WHERE job = ?`, j.label).Scan(&shown.Items, &shown.Answered, &shown.Missing, &runs)
	shown.Answered -= shown.Missing
	shown.Runs = split(runs)
	return shown, err
}

// loose returns the items without a job, as one Job for each run and model.
func (r *records) loose(ctx context.Context, f Filter) ([]Job, error) {
	if f.ID != "" {
		return nil, nil
	}
	return sqlite.All(ctx, r.db.Read(), func(row sqlite.Row) (Job, error) {
		j := Job{State: Gathered}
		var run string
		var created int64
		err := row.Scan(&j.Provider, &j.Model, &run, &j.Items, &created)
		j.Runs, j.Created = split(run), sqlite.Time(created)
		return j, err
	}, `SELECT provider, model, run, count(*), min(gathered) FROM items
		WHERE job IS NULL AND outcome IS NULL AND (?1 = '' OR run = ?1) GROUP BY provider, model, run ORDER BY min(gathered) DESC`, f.Run)
}

// split splits a list that SQLite joined.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
