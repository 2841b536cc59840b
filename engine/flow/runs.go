package flow

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/internal/sqlite"
)

// Filter chooses runs. The zero value chooses all.
type Filter struct {
	ID          string    // of the run; empty: any
	States      []State   // one of them; none: any
	Interrupted bool      // only those
	Since       time.Time // started then or later; zero: any
}

// runColumns are the columns that scanRun reads: listColumns, which scanListed reads, and the documents of the run.
const (
	listColumns = `id, kind, folder, title, base, started, state, reason, ended, host, pid, born, fence, heartbeat, requested, summary`
	runColumns  = listColumns + `, input, result, sum`
)

// Run returns one run. The error is ErrNoRun if it does not exist.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	r, err := s.readRun(ctx, s.db.Read(), id)
	if err != nil {
		return Run{}, fmt.Errorf("read run %s: %w", id, s.db.Explain(err))
	}
	if r, err = s.unsealed(r); err != nil {
		return Run{}, fmt.Errorf("read run %s: %w", id, err)
	}
	return r, nil
}

// unsealed returns a run with the texts that the vault keeps of it.
func (s *Store) unsealed(r Run) (_ Run, err error) {
	if r.Input, err = s.vault.Unseal(r.ID, r.Input); err == nil {
		r.Result, err = s.vault.Unseal(r.ID, r.Result)
	}
	return r, err
}

func (s *Store) readRun(ctx context.Context, in sqlite.RowSource, id string) (Run, error) {
	r, err := s.scanRun(in.QueryRowContext(ctx, "SELECT "+runColumns+" FROM runs WHERE id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, ErrNoRun
	}
	return r, err
}

// Runs lists the runs that a filter chooses, the newest first, without Input and Result. Those may be large; Run reads them.
func (s *Store) Runs(ctx context.Context, f Filter) ([]Run, error) {
	runs, err := s.readRuns(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", s.db.Explain(err))
	}
	return runs, nil
}

func (s *Store) readRuns(ctx context.Context, f Filter) (runs []Run, err error) {
	where := f.where()
	rows, err := s.db.Read().QueryContext(ctx, "SELECT "+listColumns+" FROM runs"+where.String()+" ORDER BY seq DESC", where.Args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Run
		if err := s.scanListed(rows.Scan, &r); err != nil {
			return nil, err
		}
		if r.Interrupted || !f.Interrupted {
			runs = append(runs, r)
		}
	}
	return runs, rows.Err()
}

// where returns the conditions of a filter, except for the part that needs a look at the owner's process.
func (f Filter) where() (w sqlite.Where) {
	w.And("started >= ?", sqlite.Unix(f.Since))
	if f.Interrupted {
		w.And("state = ?", Running)
	}
	sqlite.In(&w, "state", f.States)
	if f.ID != "" {
		w.And("id = ?", f.ID)
	}
	return w
}

// scanListed reads listColumns into a run, and the columns after them into more.
func (s *Store) scanListed(scan func(...any) error, r *Run, more ...any) error {
	var started, ended, heartbeat int64
	var summary string
	err := scan(append([]any{
		&r.ID, &r.Kind, &r.Folder, &r.Title, &r.Base, &started, &r.State, &r.Reason, &ended,
		&r.Owner.Host, &r.Owner.PID, &r.Owner.Born, &r.fence, &heartbeat, &r.Requested, &summary,
	}, more...)...)
	if err != nil {
		return err
	}
	if summary != "" {
		r.Summary = json.RawMessage(summary)
	}
	r.Started, r.Ended, r.Heartbeat = sqlite.Time(started), sqlite.Time(ended), sqlite.Time(heartbeat)
	r.Interrupted = r.State == Running && !r.Owner.isAlive(s.owner.Host, r.Heartbeat, s.now())
	return nil
}

func (s *Store) scanRun(scan func(...any) error) (r Run, err error) {
	var sum int64
	var input, result []byte
	if err := s.scanListed(scan, &r, &input, &result, &sum); err != nil {
		return Run{}, err
	}
	r.Input, r.Result = input, result
	if r.sum() != sum {
		return Run{}, fmt.Errorf("run %s: %w", r.ID, ErrDamaged)
	}
	return r, nil
}

// sum covers the fields of a run that never change.
func (r Run) sum() int64 {
	return checksum(r.ID, r.Kind, r.Folder, r.Title, string(r.Input), r.Base, fmt.Sprint(sqlite.Unix(r.Started)))
}

// Steps returns the journal of a run in the order in which steps were begun, including forgotten ones.
func (s *Store) Steps(ctx context.Context, id string) ([]Step, error) {
	steps, err := sqlite.All(ctx, s.db.Read(), s.scanStep, "SELECT "+stepColumns+" FROM steps WHERE run = ? ORDER BY seq", id)
	if err != nil {
		return nil, fmt.Errorf("read the journal of run %s: %w", id, s.db.Explain(err))
	}
	return steps, nil
}

// Retention chooses the runs that Prune keeps.
type Retention struct {
	Keep   int       // the newest so many, in any case
	Before time.Time // delete only what ended before
}

// old is the condition for runs that a Retention does not keep.
const old = `ended <> 0 AND ended < ? AND seq NOT IN (SELECT seq FROM runs ORDER BY seq DESC LIMIT ?)`

func (r Retention) args() []any { return []any{sqlite.Unix(r.Before), r.Keep} }

// Prune deletes runs that have ended, with their journals, and returns their ids.
func (s *Store) Prune(ctx context.Context, r Retention) (deleted []string, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) (err error) {
		deleted, err = sqlite.All(ctx, tx, sqlite.Value[string], "DELETE FROM runs WHERE "+old+" RETURNING id", r.args()...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("delete old runs: %w", err)
	}
	return deleted, nil
}

// Prunable returns the ids of the runs that Prune would delete now.
func (s *Store) Prunable(ctx context.Context, r Retention) ([]string, error) {
	found, err := sqlite.All(ctx, s.db.Read(), sqlite.Value[string], "SELECT id FROM runs WHERE "+old, r.args()...)
	if err != nil {
		return nil, fmt.Errorf("find old runs: %w", s.db.Explain(err))
	}
	return found, nil
}

// State is the state of a run. A run begins as Running; Lease.End sets any other.
type State string

// The states of a run.
const (
	Running   State = "running"   // a process works on it, or died while doing so
	Done      State = "done"      // final
	Failed    State = "failed"    // can be claimed again: after Forget, failed steps are retried
	Cancelled State = "cancelled" // the user stopped it; can be claimed again, too
)

// Request is what a user requests from the process that works on a run.
type Request string

// The requests, and their absence.
const (
	RequestNone   Request = ""
	RequestCancel Request = "cancel"
)

// NewRun describes a run that begins. The caller chooses the id.
type NewRun struct {
	ID     string          // unique in the store
	Kind   string          // for programs: which code plays it
	Folder string          // the folder it works on
	Title  string          // for users
	Input  json.RawMessage // input of the run's code, the same in each replay
	Base   string          // the snapshot it starts from
}

// Run is a run as the store records it.
type Run struct {
	ID, Kind, Folder, Title string
	Input                   json.RawMessage
	Base                    string
	State                   State
	Reason                  string          // for users: why it ended as it did
	Result                  json.RawMessage // its result, or nil
	Summary                 json.RawMessage // what lists show of it, as last written by Lease.Summarize; nil before
	Started, Ended          time.Time       // Ended is zero until it has ended
	Owner                   Owner           // the process that works on it; zero if none does
	Heartbeat               time.Time       // the owner's last heartbeat
	Requested               Request         // a request that the owner has not handled yet
	// Interrupted means that the run is Running and no living process works on it: it can be claimed.
	Interrupted bool

	fence int64 // the fence that its owner's writes must have
}
