package batch

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/internal/sqlite"
)

// ErrNoJob means that no batch has the given id.
var ErrNoJob = errors.New("there is no such batch")

// Poll asks the providers now for the state of the open jobs, or of the one with an id or a label, and keeps the available
// answers for resumed runs. It submits nothing. It returns the current jobs; the error names the jobs that could not be polled.
func (q *Queue) Poll(ctx context.Context, id string, find Finder) ([]Job, error) {
	jobs, err := q.Jobs(ctx, Filter{ID: id, Open: id == ""})
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
		if err := q.ask(ctx, j.Label, find); err != nil {
			all = append(all, fmt.Errorf("batch %s: %w", j.Name(), err))
		}
		if jobs[i], err = q.records.shown(ctx, j.Label); err != nil {
			return nil, err
		}
	}
	q.waiters.nudge()
	return jobs, errors.Join(all...)
}

// Name is the job's name for users: the provider's id, or the label.
func (j Job) Name() string {
	return cmp.Or(j.ID, j.Label)
}

// ask makes the next call about a job now, unless another process does or the provider's waiting time is not over.
func (q *Queue) ask(ctx context.Context, label string, find Finder) error {
	known, err := q.records.shown(ctx, label)
	if err != nil {
		return err
	}
	b, err := q.batcher(ctx, line{known.Provider, known.Model}, find)
	if err != nil {
		return err
	}
	j, mine, err := q.records.take(ctx, label, true)
	if err != nil || !mine {
		return err
	}
	if err := q.exchange.advance(ctx, j, b, false); err != nil {
		return err
	}
	after, err := q.records.shown(ctx, label)
	if err == nil && after.Trouble != "" {
		err = errors.New(after.Trouble)
	}
	return err
}

// batcher returns the batch interface of a provider: that of a waiting model, or one that find returns.
func (q *Queue) batcher(ctx context.Context, l line, find Finder) (llm.Batcher, error) {
	for _, w := range q.waiters.everybody() {
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
func (q *Queue) Await(ctx context.Context, id string, find Finder, report func([]Job, error)) error {
	for {
		jobs, err := q.Poll(ctx, id, find)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if jobs == nil {
			return err
		}
		report(jobs, err)
		var again time.Time
		for _, j := range jobs {
			if j.Label != "" && j.IsOpen() && j.State != Unsent {
				again = earlier(again, j.next)
			}
		}
		if again.IsZero() {
			return err
		}
		if err := llm.Pause(ctx, max(again.Sub(q.records.options.Now()), q.records.options.Timing.Peek)); err != nil {
			return err
		}
	}
}

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
func (q *Queue) Jobs(ctx context.Context, f Filter) ([]Job, error) {
	all, err := q.records.list(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list the batches: %w", q.records.db.Explain(err))
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
