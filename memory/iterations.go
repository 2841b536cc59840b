package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"forge/engine/overseer"
	"forge/internal/sqlite"
)

const attemptColumns = "id, run, node, attempt, passed, total, failures, reason, class, created_at, origin, event, detail"

func scanAttempt(row sqlite.Row) (Attempt, error) {
	var a Attempt
	var id int64
	var failures string
	err := row.Scan(&id, &a.Run, &a.Node, &a.Attempt, &a.Passed, &a.Total, &failures, &a.Reason, &a.Class, moment{&a.At},
		&a.Source.Origin, &a.Source.Event, &a.Source.Detail)
	if err == nil {
		err = json.Unmarshal([]byte(failures), &a.Failures)
	}
	a.ID, a.Source.Run, a.Source.Node = kindIteration.numbered(id), a.Run, a.Node
	return a, err
}

// RecordAttempt stores the result of an attempt, and assesses the node by all its attempts up to it. Recording an attempt again, as a
// resumed run does, replaces it.
func (p *Project) RecordAttempt(ctx context.Context, a Attempt) (assessed Assessment, err error) {
	err = p.update(ctx, fmt.Sprintf("record attempt %d of %s", a.Attempt, a.Node), func(tx *sql.Tx) error {
		if err := putAttempt(ctx, tx, a, p.now()); err != nil {
			return err
		}
		before, err := sqlite.All(ctx, tx, scanAttempt, `SELECT `+attemptColumns+` FROM iterations
			WHERE run = ? AND node = ? AND attempt <= ? ORDER BY attempt`, a.Run, a.Node, a.Attempt)
		assessed = Assess(before)
		return err
	})
	return assessed, err
}

func putAttempt(ctx context.Context, tx *sql.Tx, a Attempt, now time.Time) error {
	if err := a.check(); err != nil {
		return err
	}
	failures, err := json.Marshal(append([]string{}, asSet(a.Failures)...))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO iterations (run, node, attempt, passed, total, failures, reason, class, created_at,
			origin, event, detail) VALUES (`+sqlite.Marks(12)+`)
		ON CONFLICT (run, node, attempt) DO UPDATE SET passed = excluded.passed, total = excluded.total, failures = excluded.failures,
			reason = excluded.reason, class = excluded.class, origin = excluded.origin, event = excluded.event, detail = excluded.detail`,
		a.Run, a.Node, a.Attempt, a.Passed, a.Total, string(failures), a.Reason, a.Class, stamp(now),
		string(a.Source.Origin), a.Source.Event, a.Source.Detail)
	return err
}

// chosen selects attempts: those of a node of a run, of all its nodes if node is empty, and of all runs if run is empty.
const chosen = ` WHERE (?1 = '' OR run = ?1) AND (?2 = '' OR node = ?2)`

// Attempts returns the attempts of a node, oldest first, or of all nodes of the run where node is empty; where run is empty those of
// all runs, the last begun first.
func (p *Project) Attempts(ctx context.Context, run, node string) ([]Attempt, error) {
	return list(ctx, p.Store, "list attempts", scanAttempt, `SELECT `+attemptColumns+` FROM iterations`+chosen+`
		ORDER BY MIN(id) OVER (PARTITION BY run) DESC, node, attempt`, run, node)
}

// ResetAttempts deletes the attempts of a node of a run, or of all its nodes if node is empty, so that counting restarts, and
// returns how many those were. Without a run it is ErrInvalid: a deletion names its run.
func (p *Project) ResetAttempts(ctx context.Context, run, node string) (forgotten int, err error) {
	if run == "" {
		return 0, fmt.Errorf("%w: give the run whose attempts are to be deleted", ErrInvalid)
	}
	err = p.update(ctx, "reset the attempts of "+run, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM iterations`+chosen, run, node)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		forgotten = int(n)
		return err
	})
	return forgotten, err
}

// Assessment summarizes the attempts of a node.
type Assessment = overseer.Assessment

// Attempt is the result of one attempt of a node.
type Attempt struct {
	ID       ID
	Run      string
	Node     string
	Attempt  int // from 1
	Passed   int // checks
	Total    int
	Failures []string // ids of what failed (overseer.Failure.ID); a set
	Reason   string   // why it was not accepted, for the next attempt; empty of one that was
	Class    string   // why the attempt before failed: stuck, missing_context, blocked, or empty
	Source   Source
	At       time.Time
}

// Score is the share of checks that passed: passed over total, a total of at least one.
func (a Attempt) Score() float64 { return a.outcome().Score() }

// Accepted reports whether every gate opened for it, and the review too: then it has no reason to be made again.
func (a Attempt) Accepted() bool { return a.Reason == "" }

func (a Attempt) outcome() overseer.Attempt {
	return overseer.Attempt{Passed: a.Passed, Total: a.Total, Failures: a.Failures}
}

// check rejects an incomplete or impossible attempt.
func (a Attempt) check() error {
	if a.Run == "" || a.Node == "" || a.Attempt < 1 || a.Passed < 0 || a.Total < a.Passed {
		return fmt.Errorf("%w: an attempt names its run, node and number, and passes no more checks than there are", ErrInvalid)
	}
	return a.Source.check()
}

// Assess judges the attempts of one node, oldest first; see overseer.Assess.
func Assess(attempts []Attempt) Assessment {
	outcomes := make([]overseer.Attempt, len(attempts))
	for i, a := range attempts {
		outcomes[i] = a.outcome()
	}
	return overseer.Assess(outcomes)
}

// asSet is sorted, and has nothing twice.
func asSet(ids []string) []string {
	set := slices.Clone(ids)
	slices.Sort(set)
	return slices.Compact(set)
}
