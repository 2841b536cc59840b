// Package sqlite opens Forge's own database files, so that each of them survives what files go through:
// a process killed in the middle, several processes at once, a full disk, a damaged page, a newer or an
// older program.
//
//	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true})
//
// Every file is opened with _txlock=immediate, journal_mode=WAL, busy_timeout=5000 and one handle that
// writes. A file that fails the integrity check is set aside as name.damaged-<time> and rebuilt, which
// Open reports once as a note; it never fails for that reason. Before a migration the file is copied
// next to itself (VACUUM INTO) and the copy is removed once the migration has been committed. A file from
// a newer program is not written: ErrNewer.
//
// A process opens a file alone, in its folder: a lock that ends with the process orders the openers. The check
// costs time that grows with the file, so it is made when there is a reason: the last process that had the file
// open did not close it (SQLite leaves its -wal file then, and no living process holds it), a statement has
// reported damage (a name.suspect file records that; then the check is the full one), or the file is small.
// But for the full one, a check is broken off after a second. The header is checked each time.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"forge/internal/failpoint"
)

// DB is an open file. It is safe for concurrent use; Open is its only door.
type DB struct {
	writer, reader *sql.DB
	file           string
	is             os.FileInfo // the file that was opened
	full           bool

	turn    chan struct{} // holds one: the goroutine that put it in may use writer, and the fields below
	relaxed bool          // writer does not wait for the disk just now
}

// Read is the handle that reads: it never waits for writers, and cannot write. What its statements
// report goes through Explain.
func (db *DB) Read() *sql.DB { return db.reader }

// Close closes the file. The last process to do so leaves one file, without -wal and -shm.
func (db *DB) Close() error {
	var err error
	if db.reader != nil {
		err = db.reader.Close()
	}
	return errors.Join(err, db.writer.Close())
}

// Write performs f in a transaction, which is committed when f returns nil, and rolled back otherwise. What was written
// survives the death of the process; see Options.Full for the machine. f is called once or, if the context ends before
// its turn, not at all; it must not use db.
func (db *DB) Write(ctx context.Context, f func(tx *sql.Tx) error) error {
	return db.inTurn(ctx, true, func() error { return db.transact(ctx, f) })
}

// WriteRelaxed is Write without waiting for the disk: a power loss may undo what it wrote, with
// all that was written relaxed after it. The next Write makes it last.
func (db *DB) WriteRelaxed(ctx context.Context, f func(tx *sql.Tx) error) error {
	return db.inTurn(ctx, false, func() error { return db.transact(ctx, f) })
}

// Prepare parses a statement once that is used often: with Exec, or within Write as tx.StmtContext(ctx, prepared). It
// is closed with the file.
func (db *DB) Prepare(ctx context.Context, query string) (prepared *sql.Stmt, err error) {
	err = db.inTurn(ctx, true, func() error {
		prepared, err = db.writer.PrepareContext(ctx, query) //nolint:sqlclosecheck // it is closed with the file
		return err
	})
	return prepared, err
}

// Exec is Write, or WriteRelaxed if it is not to be lasting, of one statement. It returns how many rows it has changed.
func (db *DB) Exec(ctx context.Context, lasting bool, prepared *sql.Stmt, args ...any) (rows int64, err error) {
	err = db.inTurn(ctx, lasting, func() error {
		return patiently(ctx, func() error {
			failpoint.Hit(FailCommit)
			result, err := prepared.ExecContext(ctx, args...)
			if err != nil {
				return err
			}
			failpoint.Hit(FailCommitted)
			rows, err = result.RowsAffected()
			return err
		})
	})
	return rows, err
}

// inTurn calls f when nothing else in this process writes. A write to a file that another process has set aside
// meanwhile is no success.
func (db *DB) inTurn(ctx context.Context, lasting bool, f func() error) error {
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-db.turn }()
	err := db.relax(ctx, !lasting)
	if err == nil {
		err = f()
	}
	if err == nil {
		err = db.isStillThere()
	}
	return db.Explain(err)
}

// relax chooses whether commits wait for the disk.
func (db *DB) relax(ctx context.Context, relaxed bool) error {
	if !db.full || relaxed == db.relaxed {
		return nil
	}
	level := "FULL"
	if relaxed {
		level = "NORMAL"
	}
	if _, err := db.writer.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous="+level); err != nil {
		return err
	}
	db.relaxed = relaxed
	return nil
}

func (db *DB) transact(ctx context.Context, f func(tx *sql.Tx) error) (err error) {
	var tx *sql.Tx
	err = patiently(ctx, func() error {
		tx, err = db.writer.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // a commit that failed has rolled back already
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	failpoint.Hit(FailCommit)
	if err := tx.Commit(); err != nil {
		return err
	}
	failpoint.Hit(FailCommitted)
	return nil
}

// patience is how long a writer waits for its turn in all; SQLite itself waits busy_timeout at a time.
const patience = 30 * time.Second

// patiently does something that needs the write lock until another process has given it back.
func patiently(ctx context.Context, f func() error) error {
	err := f()
	if code(err) != codeBusy {
		return err
	}
	retry, patient := time.NewTicker(lockRetry), time.NewTimer(patience)
	defer retry.Stop()
	defer patient.Stop()
	for code(err) == codeBusy {
		select {
		case <-retry.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-patient.C:
			return err
		}
		err = f()
	}
	return err
}

func (db *DB) isStillThere() error {
	now, err := os.Stat(db.file)
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrReplaced, err)
	}
	if !os.SameFile(db.is, now) {
		return ErrReplaced
	}
	return nil
}

// Source answers queries with rows.
type Source interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// RowSource also answers with a single row: a handle, or a transaction.
type RowSource interface {
	Source
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Row is a row of the result of a query.
type Row interface{ Scan(dest ...any) error }

// LikeAny returns a pattern for LIKE … ESCAPE '\' that finds a text anywhere.
func LikeAny(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// All returns the rows of a query, each as scan reads it. The first error of scan ends the reading.
func All[T any](ctx context.Context, from Source, scan func(Row) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Value scans a row of one column.
func Value[T any](row Row) (value T, err error) { return value, row.Scan(&value) }

// Where collects conditions that must all hold. The zero value holds for every row.
type Where struct {
	Conditions []string
	Args       []any // of all conditions, in order
}

// And adds a condition with its arguments.
func (w *Where) And(condition string, args ...any) {
	w.Conditions, w.Args = append(w.Conditions, condition), append(w.Args, args...)
}

// In adds the condition that a column has one of some texts. No texts add no condition.
func In[T ~string](w *Where, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	w.And(column+" IN ("+Marks(len(values))+")", args...)
}

// String returns the clause, with a space in front; without conditions it is empty.
func (w *Where) String() string {
	if len(w.Conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.Conditions, " AND ")
}

// Marks returns n question marks, separated by commas.
func Marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// Unix converts a time to nanoseconds of Unix time, as tables have it; the zero time is 0.
func Unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Time reverses Unix, in UTC.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
