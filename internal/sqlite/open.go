package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"forge/internal/failpoint"
)

// Options of Open.
type Options struct {
	// Migrations lead from an empty file to the newest tables. Those that were released are never changed.
	Migrations []Migration
	// Full makes each Write survive the loss of power, too (synchronous=FULL). Without it a Write survives
	// the death of the process, and the file stays whole in any case.
	Full bool
	Now  func() time.Time  // names files that are put aside; nil: time.Now
	Note func(text string) // receives once what the user should know, such as a damaged file; nil: ignored
}

// opener opens one file. It has the lock of the folder.
type opener struct {
	Options
	file  string
	notes []string // for Note, when the lock is given back
}

func (o *opener) note(text string) { o.notes = append(o.notes, text) }

// Open opens a file, which need not be there yet. Its errors are ErrNewer, ErrFull, ErrReadOnly, ErrDisk, what the
// context ended with, what a migration failed with, or the error of the system for the file.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	db, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, explained(err))
	}
	return db, nil
}

func open(ctx context.Context, path string, o Options) (*DB, error) {
	if err := checkMigrations(o.Migrations); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	one := &opener{Options: o, file: path}
	db, err := one.openAlone(ctx)
	for _, text := range one.notes {
		o.Note(text)
	}
	return db, err
}

func (o *opener) openAlone(ctx context.Context) (_ *DB, err error) {
	unlock, err := lockFolder(ctx, filepath.Dir(o.file))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return o.open(ctx)
}

// open is tried once more with a new file if the file is found damaged only when it is used.
func (o *opener) open(ctx context.Context) (*DB, error) {
	if err := o.prepare(ctx); err != nil {
		return nil, err
	}
	db, err := o.connect(ctx)
	if !isDamage(err) {
		return db, err
	}
	if err := o.replace(ctx); err != nil {
		return nil, err
	}
	return o.connect(ctx)
}

// prepare sees to it that there is a whole file that is ours.
func (o *opener) prepare(ctx context.Context) error {
	if err := errors.Join(remove(o.file+markSuffix), o.finishAside()); err != nil {
		return err
	}
	if _, err := os.Stat(o.file); errors.Is(err, fs.ErrNotExist) {
		return o.create(ctx)
	} else if err != nil {
		return err
	}
	err := o.examine(ctx)
	if isDamage(err) {
		return o.replace(ctx)
	}
	return err
}

// create makes an empty file, unless there is a back-up: then the process died after it had put the file aside.
// A -wal file without its file must not meet a new one, SQLite would play it.
func (o *opener) create(ctx context.Context) error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Lstat(o.file + suffix); err == nil {
			return o.replace(ctx)
		}
	}
	restored, err := o.restore(ctx)
	if err != nil || restored {
		return err
	}
	failpoint.Hit(FailCreate)
	f, err := os.OpenFile(o.file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close() // no code in this process can have had it open: closing would take its locks away
}

// connect opens both handles and brings the tables up to date.
func (o *opener) connect(ctx context.Context) (_ *DB, err error) {
	pragmas := []string{"busy_timeout(5000)", "journal_mode(WAL)", "foreign_keys(ON)", "journal_size_limit(16777216)"}
	if o.Full {
		pragmas = append(pragmas, "synchronous(FULL)", "fullfsync(ON)") // the latter is for macOS
	} else {
		pragmas = append(pragmas, "synchronous(NORMAL)")
	}
	writer, err := pool(o.file, "immediate", "", pragmas...)
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1) // and it stays open: a new one would wait for the disk again
	db := &DB{writer: writer, file: o.file, full: o.Full, turn: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	if err = o.migrate(ctx, writer); err != nil {
		return nil, err
	}
	if db.is, err = os.Stat(o.file); err != nil {
		return nil, err
	}
	db.reader, err = pool(o.file, "deferred", "", "busy_timeout(5000)", "query_only(ON)", "foreign_keys(ON)")
	if err != nil {
		return nil, err
	}
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	return db, nil
}

// readers is how many may read at once.
const readers = 4

// pool is a handle of SQLite: lock is how its transactions begin, mode what the file's URI says of it.
func pool(file, lock, mode string, pragmas ...string) (*sql.DB, error) {
	options := url.Values{"_txlock": {lock}, "_pragma": pragmas}
	for setting := range strings.SplitSeq(mode, "&") {
		if key, value, ok := strings.Cut(setting, "="); ok {
			options.Set(key, value)
		}
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	source := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}
	return sql.Open("sqlite", source.String())
}
