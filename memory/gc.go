package memory

import (
	"context"
	"database/sql"
	"time"

	"forge/internal/failpoint"
)

// How long things are kept.
const (
	midLifetime    = day      // after the end of its run
	fullLifetime   = 30 * day // of episodic entries and of the texts of interactions
	recordLifetime = 90 * day // of their synopses, of subagent runs, and of what no run has ended
	specsKept      = 10       // versions of the specification
	reduceBatch    = 200      // rows in one transaction
)

// Collected is what gc has removed and reduced, in rows.
type Collected struct {
	Expired             int // entries whose own time was over
	Mid                 int // entries of runs that ended more than a day ago, or that were not touched for ninety
	Iterations          int // likewise
	EpisodicReduced     int // to a synopsis, after thirty days
	Episodic            int // after ninety
	InteractionsReduced int
	Interactions        int
	Subagents           int // after ninety days
	Specs               int // versions before the last ten
}

func (c Collected) plus(o Collected) Collected {
	return Collected{
		Expired: c.Expired + o.Expired, Mid: c.Mid + o.Mid, Iterations: c.Iterations + o.Iterations,
		EpisodicReduced: c.EpisodicReduced + o.EpisodicReduced, Episodic: c.Episodic + o.Episodic,
		InteractionsReduced: c.InteractionsReduced + o.InteractionsReduced, Interactions: c.Interactions + o.Interactions,
		Subagents: c.Subagents + o.Subagents, Specs: c.Specs + o.Specs,
	}
}

// GC collects both files of a project. What is left over when it is cut off is collected the next time.
func (p *Project) GC(ctx context.Context, now time.Time) (Collected, error) {
	collected, err := p.Store.GC(ctx, now)
	if err != nil {
		return collected, err
	}
	global, err := p.Global.GC(ctx, now)
	return collected.plus(global), err
}

// GC removes what has lived its time, and reduces what has lived its first part. The long tier, patterns,
// their evidence, playbooks and tasks have no end.
func (s *Store) GC(ctx context.Context, now time.Time) (c Collected, err error) {
	for _, part := range []func(context.Context, time.Time, *Collected) error{
		s.collectEntries, s.collectRecords, s.reduceEntries, s.reduceInteractions,
	} {
		if err := part(ctx, now, &c); err != nil {
			return c, err
		}
		failpoint.Hit(failCollected)
	}
	return c, nil
}

// sweep is one statement that removes rows, and where their number goes.
type sweep struct {
	rows  *int
	query string
	args  []any
}

func (s *Store) sweep(ctx context.Context, what string, sweeps ...sweep) error {
	return s.update(ctx, what, func(tx *sql.Tx) error {
		for _, sw := range sweeps {
			result, err := tx.ExecContext(ctx, sw.query, sw.args...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			*sw.rows += int(n)
		}
		return nil
	})
}

// ended is the condition on rows of a run that is over for so long; what no run has ended goes after a
// longer time without a change.
const ended = `(run IN (SELECT run FROM run_ends WHERE ended_at <= ?) OR run NOT IN (SELECT run FROM run_ends) AND `

func (s *Store) collectEntries(ctx context.Context, now time.Time, c *Collected) error {
	midEnd, recordEnd := stamp(now.Add(-midLifetime)), stamp(now.Add(-recordLifetime))
	return s.sweepEntries(ctx,
		sweep{&c.Expired, `expires_at <> '' AND expires_at <= ?`, []any{stamp(now)}},
		sweep{&c.Mid, `tier = 'mid' AND ` + ended + `updated_at <= ?)`, []any{midEnd, recordEnd}},
		sweep{&c.Episodic, `tier = 'episodic' AND created_at <= ?`, []any{recordEnd}},
	)
}

// sweepEntries removes entries under conditions, with their words.
func (s *Store) sweepEntries(ctx context.Context, conditions ...sweep) error {
	var sweeps []sweep
	for _, sw := range conditions {
		sweeps = append(sweeps,
			sweep{new(int), `DELETE FROM memory_words WHERE rowid IN (SELECT id FROM memory WHERE ` + sw.query + `)`, sw.args},
			sweep{sw.rows, `DELETE FROM memory WHERE ` + sw.query, sw.args})
	}
	return s.sweep(ctx, "collect entries of memory", sweeps...)
}

func (s *Store) collectRecords(ctx context.Context, now time.Time, c *Collected) error {
	midEnd, recordEnd := stamp(now.Add(-midLifetime)), stamp(now.Add(-recordLifetime))
	return s.sweep(ctx, "collect records of runs",
		sweep{&c.Iterations, `DELETE FROM iterations WHERE ` + ended + `created_at <= ?)`, []any{midEnd, recordEnd}},
		sweep{&c.Interactions, `DELETE FROM interactions WHERE created_at <= ?`, []any{recordEnd}},
		sweep{&c.Subagents, `DELETE FROM subagent_runs WHERE created_at <= ?`, []any{recordEnd}},
		sweep{&c.Specs, `DELETE FROM spec_versions WHERE version <= (SELECT max(version) FROM spec_versions) - ?`, []any{specsKept}},
		sweep{new(int), `DELETE FROM run_ends WHERE ended_at <= ?`, []any{recordEnd}},
	)
}

// reduceEntries leaves a synopsis of what happened more than thirty days ago.
func (s *Store) reduceEntries(ctx context.Context, now time.Time, c *Collected) error {
	return s.reduce(ctx, &c.EpisodicReduced, func(tx *sql.Tx) (int, error) {
		old, err := selectAll(ctx, tx, scanEntry, `SELECT `+entryColumns+` FROM memory
			WHERE tier = 'episodic' AND synopsis = 0 AND created_at <= ? ORDER BY id LIMIT ?`, stamp(now.Add(-fullLifetime)), reduceBatch)
		for _, e := range old {
			if err == nil {
				err = reduceEntry(ctx, tx, e)
			}
		}
		return len(old), err
	})
}

func reduceEntry(ctx context.Context, tx *sql.Tx, e Entry) error {
	n, err := e.ID.numberOf(kindEntry)
	if err != nil {
		return err
	}
	e.Value, e.Tokens = synopsisOf(e.Value), 0
	if _, err := tx.ExecContext(ctx, `UPDATE memory SET value = ?, tokens = ?, synopsis = 1 WHERE id = ?`, string(e.Value), e.tokens(), n); err != nil {
		return err
	}
	return indexEntry(ctx, tx, e)
}

func (s *Store) reduceInteractions(ctx context.Context, now time.Time, c *Collected) error {
	return s.reduce(ctx, &c.InteractionsReduced, func(tx *sql.Tx) (int, error) {
		old, err := selectAll(ctx, tx, scanInteraction, `SELECT `+interactionColumns+` FROM interactions
			WHERE synopsis = 0 AND created_at <= ? ORDER BY id LIMIT ?`, stamp(now.Add(-fullLifetime)), reduceBatch)
		for _, i := range old {
			if err == nil {
				err = reduceInteraction(ctx, tx, i)
			}
		}
		return len(old), err
	})
}

func reduceInteraction(ctx context.Context, tx *sql.Tx, i Interaction) error {
	n, err := i.ID.numberOf(kindInteraction)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE interactions SET prompt = ?, answer = ?, synopsis = 1 WHERE id = ?`,
		synopsis(i.Prompt), synopsis(i.Answer), n)
	return err
}

// reduce performs f, each time in a transaction of its own, until it finds nothing more to do.
func (s *Store) reduce(ctx context.Context, rows *int, f func(tx *sql.Tx) (int, error)) error {
	for {
		var n int
		err := s.update(ctx, "reduce what is old", func(tx *sql.Tx) (err error) {
			n, err = f(tx)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
		*rows += n
	}
}
