package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"forge/internal/sqlite"
	"forge/memory/words"
)

// Options are what memory is given from outside.
type Options struct {
	// Now is the clock; it must be given.
	Now func() time.Time
	// Random is where ids of tasks are drawn from; nil: crypto/rand.
	Random io.Reader
}

// Store is one file of memory: what projects and the global memory have in common.
type Store struct {
	db      *sqlite.DB
	options Options
	scope   Scope
	recall  *words.Prepared
	trial   *sql.Tx // the transaction of a dry run, which is rolled back; nil: each change has its own

	mu    sync.Mutex // guards notes
	notes []string
}

// Scope distinguishes the memory of a project from that of all of them.
type Scope string

// The scopes. In a question the zero value is both.
const (
	ScopeProject Scope = "project"
	ScopeGlobal  Scope = "global"
)

// openStore opens a file, migrates it, and makes its index again where that is needed.
func openStore(ctx context.Context, file string, scope Scope, o Options) (*Store, error) {
	if o.Now == nil {
		return nil, errors.New("open memory: there is no clock")
	}
	s := &Store{options: o, scope: scope}
	var err error
	s.db, err = sqlite.Open(ctx, file, sqlite.Options{Migrations: migrations, Full: true, Now: o.Now, Note: s.note})
	if err != nil {
		return nil, fmt.Errorf("open the %s memory: %w", scope, err)
	}
	s.recall = words.Prepare(s.db.Read())
	if err := s.ensureIndex(ctx); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

func (s *Store) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, text)
}

// Notes are what the user should know about the file since it was opened: that it was damaged, say, and put
// aside.
func (s *Store) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes...)
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

func (s *Store) now() time.Time { return s.options.Now() }

// update performs f in a transaction that is on disk when update returns nil.
func (s *Store) update(ctx context.Context, what string, f func(tx *sql.Tx) error) error {
	if s.trial != nil {
		return f(s.trial)
	}
	if err := s.db.Write(ctx, f); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// view performs f on the file as it is at one moment. It never waits for writers.
func (s *Store) view(ctx context.Context, what string, f func(q sqlite.RowSource) error) error {
	return s.viewTx(ctx, what, func(tx *sql.Tx) error { return f(tx) })
}

func (s *Store) viewTx(ctx context.Context, what string, f func(tx *sql.Tx) error) error {
	tx, err := s.db.Read().BeginTx(ctx, nil)
	if err == nil {
		err = errors.Join(f(tx), tx.Rollback()) // nothing was written
	}
	if err = s.db.Explain(err); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// selectOne reads one row; it is ErrNotFound, with what was looked for, where there is none.
func selectOne[T any](ctx context.Context, q sqlite.RowSource, what string, scan func(sqlite.Row) (T, error), query string, args ...any) (T, error) {
	one, err := scan(q.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return one, err
}

// list reads rows of a file as they are at one moment. what names the task for errors.
func list[T any](ctx context.Context, s *Store, what string, scan func(sqlite.Row) (T, error), query string, args ...any) (all []T, err error) {
	err = s.view(ctx, what, func(q sqlite.RowSource) error {
		all, err = sqlite.All(ctx, q, scan, query, args...)
		return err
	})
	return all, err
}

// values are the arguments of a statement, from parts.
func values(parts ...any) []any {
	var all []any
	for _, part := range parts {
		if list, ok := part.([]any); ok {
			all = append(all, list...)
		} else {
			all = append(all, part)
		}
	}
	return slices.Clip(all)
}

// limited is a limit for LIMIT, where zero and less are no limit.
func limited(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// stampLayout is how times are in the database: UTC, as SQLite's own datetime() writes them, with
// milliseconds. The width is fixed, so that the order of texts is the order of times.
const stampLayout = "2006-01-02 15:04:05.000"

// stamp is the text of a time; the zero time is the empty text, which sorts before all others.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(stampLayout)
}

// parseStamp is the inverse of stamp, to the millisecond.
func parseStamp(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(stampLayout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time %q: %w", text, err)
	}
	return t, nil
}

// moment scans a column that stamp wrote.
type moment struct{ to *time.Time }

// Scan reads the text of a time.
func (m moment) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("read a time: it is no text")
	}
	var err error
	*m.to, err = parseStamp(text)
	return err
}

// day is the unit of all the lifetimes here.
const day = 24 * time.Hour
