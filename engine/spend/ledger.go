package spend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"forge/engine/llm"
	"forge/internal/sqlite"
)

// Ledger is what was spent, of all runs and processes. It is safe for concurrent use.
type Ledger struct {
	db   *sqlite.DB
	file string
	now  func() time.Time
	note func(string)

	statements statements

	mu    sync.Mutex     // guards what follows
	going map[string]int // attempts under way in this process, by their tree
	ended chan struct{}  // closed and replaced when one of them ends
}

// Options of Open.
type Options struct {
	Now  func() time.Time  // nil is time.Now
	Note func(text string) // receives notices for the user; may be nil
}

// Open opens a ledger, which need not be there yet. Its errors are those of sqlite.Open.
func Open(ctx context.Context, file string, o Options) (*Ledger, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: migrations, Full: true, Now: o.Now, Note: o.Note})
	if err != nil {
		return nil, err
	}
	prepared, err := prepare(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Ledger{statements: prepared, db: db, file: file, now: o.Now, note: o.Note, going: map[string]int{}, ended: make(chan struct{})}, nil
}

// File is where the ledger is.
func (l *Ledger) File() string { return l.file }

// Close closes the file. What is under way stays reserved.
func (l *Ledger) Close() error { return l.db.Close() }

// Limits are the most that a tree of runs may spend; 0 is without limit.
type Limits struct {
	Tokens   int64
	MicroUSD int64
}

// Allow sets the limits of a tree of runs, from whatever moment on; a zero leaves what was set.
func (l *Ledger) Allow(ctx context.Context, tree string, limits Limits) error {
	err := l.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO limits (tree, tokens, money) VALUES (?1, ?2, ?3) ON CONFLICT (tree) DO UPDATE SET
			tokens = CASE WHEN ?2 > 0 THEN ?2 ELSE tokens END, money = CASE WHEN ?3 > 0 THEN ?3 ELSE money END`,
			tree, max(0, limits.Tokens), max(0, limits.MicroUSD))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the limits of run %s: %w", tree, err)
	}
	return nil
}

// Allowed are the limits of a tree of runs.
func (l *Ledger) Allowed(ctx context.Context, tree string) (Limits, error) {
	limits, err := scanLimits(l.statements.allowed.QueryRowContext(ctx, tree))
	return limits, l.db.Explain(err)
}

// scanLimits reads limits; where none were set there are none.
func scanLimits(row *sql.Row) (limits Limits, err error) {
	err = row.Scan(&limits.Tokens, &limits.MicroUSD)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return limits, err
}

// Total is what a tree of runs has spent.
type Total struct {
	Attempts int
	Tokens   int64 // charged, of whatever kind
	Usage    llm.Usage
	Cost     llm.Cost
	// HeldTokens and Held are what can come on top: calls that are under way, or were cut off before it was known what
	// they cost and not made again since.
	HeldTokens int64
	Held       llm.Cost
}

// Spent is what a tree of runs has spent so far, in whatever process.
func (l *Ledger) Spent(ctx context.Context, tree string) (t Total, err error) {
	var unpriced, heldUnpriced bool
	err = l.statements.spent.QueryRowContext(ctx, tree).Scan(
		&t.Attempts, &t.Tokens, &t.Cost.MicroUSD, &unpriced,
		&t.Usage.Input, &t.Usage.Output, &t.Usage.CacheRead, &t.Usage.CacheWrite,
		&t.HeldTokens, &t.Held.MicroUSD, &heldUnpriced)
	t.Cost.Unpriced, t.Held.Unpriced = unpriced, heldUnpriced
	if err != nil {
		return t, fmt.Errorf("add up what run %s has spent: %w", tree, l.db.Explain(err))
	}
	return t, nil
}

// statements are those of each call of a model: to parse them took longer than to perform them. They are closed with the file.
type statements struct {
	allowed, spent              *sql.Stmt // of the handle that reads
	limits, sum, insert, settle *sql.Stmt // of the one that writes
}

const (
	selectLimits = "SELECT tokens, money FROM limits WHERE tree = ?"
	selectSum    = "SELECT coalesce(sum(tokens), 0), coalesce(sum(money), 0) FROM attempts WHERE tree = ?"

	insertAttempt = `INSERT INTO attempts
		(tree, run, folder, node, attempt, provider, model, key, batch, state, tokens, money, unpriced, begun)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`

	settleAnswered = `UPDATE attempts SET state = ?, ended = ?, tokens = ?, money = ?, unpriced = ?, input = ?, output = ?, cache_read = ?,
		cache_write = ? WHERE id = ? AND state = 'reserved'`

	selectSpent = `SELECT
	count(*) FILTER (WHERE state IN ('settled', 'lost')),
	coalesce(sum(tokens) FILTER (WHERE state IN ('settled', 'lost')), 0),
	coalesce(sum(money) FILTER (WHERE state IN ('settled', 'lost') AND NOT unpriced), 0),
	coalesce(max(unpriced) FILTER (WHERE state IN ('settled', 'lost')), 0),
	coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0),
	coalesce(sum(tokens) FILTER (WHERE open), 0),
	coalesce(sum(money) FILTER (WHERE open AND NOT unpriced), 0),
	coalesce(max(unpriced) FILTER (WHERE open), 0)
	FROM (SELECT *, state = 'reserved' AND NOT EXISTS (
		SELECT 1 FROM attempts later WHERE later.tree = a.tree AND later.key = a.key AND later.id > a.id AND later.state = 'settled'
	) AS open FROM attempts a WHERE tree = ?)`
)

func prepare(ctx context.Context, db *sqlite.DB) (s statements, err error) {
	for _, p := range []struct {
		into    **sql.Stmt
		prepare func(context.Context, string) (*sql.Stmt, error)
		query   string
	}{
		{&s.allowed, db.Read().PrepareContext, selectLimits}, {&s.spent, db.Read().PrepareContext, selectSpent},
		{&s.limits, db.Prepare, selectLimits}, {&s.sum, db.Prepare, selectSum}, {&s.insert, db.Prepare, insertAttempt},
		{&s.settle, db.Prepare, settleAnswered},
	} {
		if *p.into, err = p.prepare(ctx, p.query); err != nil { //nolint:sqlclosecheck // it is closed with the file
			return s, db.Explain(err)
		}
	}
	return s, nil
}
