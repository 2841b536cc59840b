package index

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
)

// schemaVersion changes whenever the tables, the encodings in them or the words of a text do. A database of another
// version is rebuilt.
const schemaVersion = 4

//go:embed schema.sql
var schema string

// The codes of SQLite's errors, https://sqlite.org/rescode.html. Extended codes have them in their low byte.
const (
	codeError   = 1 // a statement does not fit: another program has changed the tables
	codeCorrupt = 11
	codeNotADB  = 26
)

// errOutdated is the error of a database of another version.
var errOutdated = errors.New("it was written by another version")

// database is an open SQLite database. It may be used by several goroutines.
type database struct {
	name string      // of the file
	is   os.FileInfo // nil if there was no file
	pool *sql.DB
}

const databaseName = "index.db"

// How long to wait for locks of other processes: the first answer waits for what is loaded. Tests load with more patience.
var loadWait = time.Second //nolint:gochecknoglobals // a constant, but for tests

const writeWait = 5 * time.Second

// openDatabase opens the database of a directory, which need not exist yet. wait is how long it waits for locks.
func openDatabase(dir string, wait time.Duration) (*database, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, databaseName)
	if file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600); err == nil { // SQLite gives the files that it makes next to it the same mode
		_ = file.Close()
	}
	options := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)",
	}}
	source := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(name), RawQuery: options.Encode()}
	is, _ := os.Stat(name) //nolint:errcheck // SQLite reports what is wrong with it
	pool, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, err
	}
	return &database{name: name, is: is, pool: pool}, nil
}

// version returns the version of the tables: 0 if they are missing. The error may be errOutdated.
func version(row *sql.Row) (version int, err error) {
	if err = row.Scan(&version); err == nil && version != 0 && version != schemaVersion {
		err = errOutdated
	}
	return version, err
}

const askVersion = "PRAGMA user_version"

// begin starts a transaction that writes; it makes the tables if they are missing.
func (d *database) begin(ctx context.Context) (*sql.Tx, error) {
	tx, err := d.pool.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	v, err := version(tx.QueryRowContext(ctx, askVersion))
	if err == nil && v == 0 {
		_, err = tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	}
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// isDamage reports whether an error means that a database is no longer usable.
func isDamage(err error) bool {
	if errors.Is(err, errOutdated) || errors.Is(err, errDamaged) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff
	return code == codeError || code == codeCorrupt || code == codeNotADB
}

// setAside renames the files of a database, unless another process has done it already: then there is a new one. A
// process that still uses the old files is not disturbed.
func (d *database) setAside() error {
	if now, err := os.Stat(d.name); err != nil || d.is != nil && !os.SameFile(d.is, now) {
		return nil //nolint:nilerr // it is gone
	}
	var all []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Rename(d.name+suffix, d.name+".damaged"+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
