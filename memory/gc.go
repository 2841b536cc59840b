package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
	"forge/memory/words"
)

// How long things are kept.
const (
	midLifetime    = day      // after the end of its run
	fullLifetime   = 30 * day // of episodic entries
	recordLifetime = 90 * day // of their synopses, and of what no run has ended
	specsKept      = 10       // versions of the specification
	reduceBatch    = 200      // rows in one transaction
)

// Collected is what gc has removed and reduced, in rows.
type Collected struct {
	Expired         int // entries whose own time was over
	Mid             int // entries of runs that ended more than a day ago, or that were not touched for ninety
	Iterations      int // likewise
	Errands         int // after ninety days
	EpisodicReduced int // to a synopsis, after thirty days
	Episodic        int // after ninety
	Specs           int // versions before the last ten
}

func (c Collected) plus(o Collected) Collected {
	return Collected{
		Expired: c.Expired + o.Expired, Mid: c.Mid + o.Mid, Iterations: c.Iterations + o.Iterations, Errands: c.Errands + o.Errands,
		EpisodicReduced: c.EpisodicReduced + o.EpisodicReduced, Episodic: c.Episodic + o.Episodic,
		Specs: c.Specs + o.Specs,
	}
}

// GC collects both files of a project. If it is interrupted, the next call collects the rest.
func (p *Project) GC(ctx context.Context, now time.Time) (Collected, error) {
	collected, err := p.Store.GC(ctx, now)
	if err != nil {
		return collected, err
	}
	global, err := p.Global.GC(ctx, now)
	return collected.plus(global), err
}

// GC deletes expired rows, and reduces episodic entries older than thirty days to a synopsis. The long tier, patterns, their
// evidence, playbooks and tasks do not expire.
func (s *Store) GC(ctx context.Context, now time.Time) (Collected, error) {
	c := &collection{store: s, now: now}
	for _, part := range []func(context.Context) error{c.entries, c.records, c.reduceEntries} {
		if err := part(ctx); err != nil {
			return c.rows, err
		}
		failpoint.Hit(failCollected)
	}
	return c.rows, nil
}

// collection is one GC of a file.
type collection struct {
	store *Store
	now   time.Time
	rows  Collected // so far
}

// before is the time stamp of a moment so long ago.
func (c *collection) before(age time.Duration) string { return stamp(c.now.Add(-age)) }

// sweep is one statement that removes rows, and where their number goes.
type sweep struct {
	rows  *int
	query string
	args  []any
}

func (c *collection) sweep(ctx context.Context, what string, sweeps ...sweep) error {
	return c.store.update(ctx, what, func(tx *sql.Tx) error {
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

func (c *collection) entries(ctx context.Context) error {
	return c.sweepEntries(ctx,
		sweep{&c.rows.Expired, `expires_at <> '' AND expires_at <= ?`, []any{stamp(c.now)}},
		sweep{&c.rows.Mid, `tier = 'mid' AND ` + ended + `updated_at <= ?)`, []any{c.before(midLifetime), c.before(recordLifetime)}},
		sweep{&c.rows.Episodic, `tier = 'episodic' AND created_at <= ?`, []any{c.before(recordLifetime)}},
	)
}

// sweepEntries removes entries under conditions, with their words.
func (c *collection) sweepEntries(ctx context.Context, conditions ...sweep) error {
	var sweeps []sweep
	for _, sw := range conditions {
		sweeps = append(sweeps,
			sweep{new(int), `DELETE FROM memory_words WHERE rowid IN (SELECT id FROM memory WHERE ` + sw.query + `)`, sw.args},
			sweep{sw.rows, `DELETE FROM memory WHERE ` + sw.query, sw.args})
	}
	return c.sweep(ctx, "collect entries of memory", sweeps...)
}

func (c *collection) records(ctx context.Context) error {
	return c.sweep(ctx, "collect records of runs",
		sweep{&c.rows.Iterations, `DELETE FROM iterations WHERE ` + ended + `created_at <= ?)`, []any{c.before(midLifetime), c.before(recordLifetime)}},
		sweep{&c.rows.Errands, `DELETE FROM subagent_runs WHERE created_at <= ?`, []any{c.before(recordLifetime)}},
		sweep{&c.rows.Specs, `DELETE FROM spec_versions WHERE version <= (SELECT max(version) FROM spec_versions) - ?`, []any{specsKept}},
		sweep{new(int), `DELETE FROM run_ends WHERE ended_at <= ?`, []any{c.before(recordLifetime)}},
	)
}

// reduceEntries leaves a synopsis of what happened more than thirty days ago, in one transaction for each batch.
func (c *collection) reduceEntries(ctx context.Context) error {
	for {
		var old []Entry
		err := c.store.update(ctx, "reduce what is old", func(tx *sql.Tx) (err error) {
			old, err = sqlite.All(ctx, tx, scanEntry, `SELECT `+entryColumns+` FROM memory
				WHERE tier = 'episodic' AND synopsis = 0 AND created_at <= ? ORDER BY id LIMIT ?`, c.before(fullLifetime), reduceBatch)
			for _, e := range old {
				if err == nil {
					err = reduceEntry(ctx, tx, e)
				}
			}
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}
		c.rows.EpisodicReduced += len(old)
	}
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

// errDryRun rolls back a dry run.
var errDryRun = errors.New("nothing is collected")

// Collectable returns what GC would remove and reduce now.
func (p *Project) Collectable(ctx context.Context, now time.Time) (Collected, error) {
	c, err := p.Store.Collectable(ctx, now)
	if err != nil {
		return c, err
	}
	global, err := p.Global.Collectable(ctx, now)
	return c.plus(global), err
}

// Collectable returns what GC would remove and reduce now: it calls GC in a transaction, and rolls it back.
func (s *Store) Collectable(ctx context.Context, now time.Time) (c Collected, err error) {
	err = s.update(ctx, "look what can be collected", func(tx *sql.Tx) (err error) {
		trial := &Store{db: s.db, options: s.options, scope: s.scope, trial: tx}
		if c, err = trial.GC(ctx, now); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return c, err
}

// synopsisLimit is how many characters are left of what happened, after thirty days.
const synopsisLimit = 500

// synopsis is what is left of a text: its beginning and its end in one line, with a sign where the rest was. It is a function of the text alone, and a synopsis is its own synopsis.
func synopsis(text string) string {
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
	if len(line) <= synopsisLimit {
		return string(line)
	}
	const gap, tail = " […] ", 150
	head := synopsisLimit - tail - utf8.RuneCountInString(gap)
	return strings.TrimRight(string(line[:head]), " ") + gap + strings.TrimLeft(string(line[len(line)-tail:]), " ")
}

// synopsisOf reduces a JSON value. A value that is short already, however it is made up, stays as it is.
func synopsisOf(value json.RawMessage) json.RawMessage {
	if utf8.RuneCount(value) <= synopsisLimit {
		return value
	}
	return JSON(synopsis(words.JSONText(value)))
}

// EndRun records that a run is terminal: what its agents kept in the mid tier is deleted a day later.
// Repeating it changes nothing.
func (p *Project) EndRun(ctx context.Context, run string) error {
	if run == "" {
		return fmt.Errorf("end a run: %w: it has no name", ErrInvalid)
	}
	return p.update(ctx, "end run "+run, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO run_ends (run, ended_at) VALUES (?, ?) ON CONFLICT DO NOTHING`, run, stamp(p.now()))
		return err
	})
}

// BeginRun records that a run starts or continues: its mid tier stays.
func (p *Project) BeginRun(ctx context.Context, run string) error {
	return p.update(ctx, "begin run "+run, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM run_ends WHERE run = ?`, run)
		return err
	})
}

// Forget deletes a row for good: an entry, a pattern with its evidence, a playbook, an attempt,
// a task. A version of the specification cannot be forgotten: they are append-only.
func (s *Store) Forget(ctx context.Context, id ID) error {
	k, n, err := id.parse()
	if err != nil {
		return err
	}
	if k == kindSpec {
		return fmt.Errorf("forget %s: %w: versions of the specification are append-only; save a new one instead", id, ErrInvalid)
	}
	return s.update(ctx, "forget "+string(id), func(tx *sql.Tx) error {
		switch k {
		case kindEntry:
			return deleteEntry(ctx, tx, n)
		case kindPattern:
			return deletePattern(ctx, tx, n)
		case kindPlaybook:
			return deleteRow(ctx, tx, `DELETE FROM playbooks WHERE id = ?`, n)
		case kindIteration:
			return deleteRow(ctx, tx, `DELETE FROM iterations WHERE id = ?`, n)
		default:
			return deleteTask(ctx, tx, id)
		}
	})
}

func deletePattern(ctx context.Context, tx *sql.Tx, n int64) error {
	for _, statement := range []string{`DELETE FROM pattern_words WHERE rowid = ?`, `DELETE FROM evidence WHERE pattern = ?`} {
		if _, err := tx.ExecContext(ctx, statement, n); err != nil {
			return err
		}
	}
	return deleteRow(ctx, tx, `DELETE FROM patterns WHERE id = ?`, n)
}
