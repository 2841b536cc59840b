package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"forge/internal/failpoint"
)

// DB is an open file. It is safe for concurrent use; Open is its only door.
type DB struct {
	writer, reader *sql.DB
	file           string
	is             os.FileInfo // the file that was opened
	full           bool
}

// Read is the handle that reads: it never waits for those who write, and cannot write. What its statements
// report goes through Explain.
func (db *DB) Read() *sql.DB { return db.reader }

// Prepare parses a statement once that is used often: within Write, as tx.StmtContext(ctx, prepared). It is closed
// with the file.
func (db *DB) Prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	prepared, err := db.writer.PrepareContext(ctx, query)
	return prepared, db.Explain(err)
}

// Close closes the file. The last process to do so leaves one file, without -wal and -shm.
func (db *DB) Close() error {
	var err error
	if db.reader != nil {
		err = db.reader.Close()
	}
	return errors.Join(err, db.writer.Close())
}

// Write performs f in a transaction, which is committed when f returns nil, and rolled back otherwise. What
// was written is there afterwards, whatever becomes of the process; see Options.Full for the machine.
// f is called once or, if the context ends before its turn, not at all; it must not use db.
func (db *DB) Write(ctx context.Context, f func(tx *sql.Tx) error) error {
	return db.Explain(db.write(ctx, f, true))
}

// WriteRelaxed is Write without waiting for the disk: the loss of power may take back what it wrote, with
// all that was written relaxed after it. The next Write makes it last.
func (db *DB) WriteRelaxed(ctx context.Context, f func(tx *sql.Tx) error) error {
	return db.Explain(db.write(ctx, f, false))
}

func (db *DB) write(ctx context.Context, f func(tx *sql.Tx) error, lasting bool) (err error) {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if !lasting && db.full {
		if _, err := conn.ExecContext(ctx, "PRAGMA synchronous=NORMAL"); err != nil {
			return err
		}
		defer func() {
			_, full := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous=FULL")
			err = errors.Join(err, full)
		}()
	}
	tx, err := begin(ctx, conn)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // a commit that failed has rolled back already
		}
	}()
	// Whoever puts a damaged file aside has the write lock if it can be had, so this cannot change before the commit.
	if err := db.isStillThere(); err != nil {
		return err
	}
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

// begin starts a transaction that has the write lock.
func begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	retry := time.NewTicker(lockRetry)
	defer retry.Stop()
	patient := time.NewTimer(patience)
	defer patient.Stop()
	for {
		tx, err := conn.BeginTx(ctx, nil)
		if code(err) != codeBusy {
			return tx, err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patient.C:
			return nil, err
		}
	}
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
