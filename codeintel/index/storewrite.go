package index

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"
)

// lockWait is how long writing waits for other processes that write.
const lockWait = 5 * time.Second

// maxAsides is how many databases a process sets aside, before it takes the disk for broken.
const maxAsides = 3

// writeChanges writes changes in one transaction, and returns the ids of the segments it has added.
func (s *store) writeChanges(ctx context.Context, c *changes) (map[*segment]int64, error) {
	if s.asides >= maxAsides {
		return nil, errors.New("it was damaged again and again")
	}
	if err := s.openForWriting(); err != nil {
		return nil, err
	}
	tx, err := s.database.begin(ctx)
	if err != nil {
		return nil, err
	}
	w := &writing{ctx: ctx, tx: tx}
	added := w.segments(c)
	w.records(c)
	w.outlines(c, s.options.OutlinerVersion, day(s.options.Now()))
	if w.err != nil {
		return nil, errors.Join(w.err, tx.Rollback())
	}
	return added, tx.Commit()
}

func day(at time.Time) int64 { return at.Unix() / int64(24*time.Hour/time.Second) }

func (s *store) openForWriting() error {
	if s.database != nil {
		return nil
	}
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return err
	}
	database, err := openDatabase(s.options.Dir, lockWait)
	s.database = database
	return err
}

// writing is a transaction. After its first error it does nothing.
type writing struct {
	ctx context.Context //nolint:containedctx // of this transaction only
	tx  *sql.Tx
	err error
}

// each executes a statement for each of n lists of arguments.
func (w *writing) each(query string, execute func(func(arguments ...any) sql.Result)) {
	if w.err != nil {
		return
	}
	statement, err := w.tx.PrepareContext(w.ctx, query)
	if err != nil {
		w.err = fmt.Errorf("prepare: %w", err)
		return
	}
	execute(func(arguments ...any) sql.Result {
		if w.err != nil {
			return nil
		}
		result, err := statement.ExecContext(w.ctx, arguments...)
		w.err = err
		return result
	})
	w.err = errors.Join(w.err, statement.Close())
}

func (w *writing) segments(c *changes) map[*segment]int64 {
	added := map[*segment]int64{}
	w.each("DELETE FROM segments WHERE id = ?", func(execute func(...any) sql.Result) {
		for id := range c.dropped {
			execute(id)
		}
	})
	w.each("INSERT INTO segments (data) VALUES (?)", func(execute func(...any) sql.Result) {
		for in := range c.added {
			data, err := in.encode()
			w.err = errors.Join(w.err, err)
			if result := execute(data); w.err == nil {
				added[in], w.err = result.LastInsertId()
			}
		}
	})
	return added
}

func (w *writing) records(c *changes) {
	w.each("DELETE FROM files WHERE path = ?", func(execute func(...any) sql.Result) {
		for path, r := range c.records {
			if r == nil {
				execute([]byte(path))
			}
		}
	})
	w.each("REPLACE INTO files (path, size, changed, seen, hash, reason) VALUES (?, ?, ?, ?, ?, ?)",
		func(execute func(...any) sql.Result) {
			for path, r := range c.records {
				if r != nil {
					execute([]byte(path), r.size, r.changed, r.seen, w.bytes(r.hash), string(r.reason))
				}
			}
		})
}

func (w *writing) outlines(c *changes, version string, today int64) {
	w.each("REPLACE INTO outlines (hash, language, version, used, data) VALUES (?, ?, ?, ?, ?)",
		func(execute func(...any) sql.Result) {
			for key, data := range c.outlines {
				sealed := encoder{bytes: data}
				execute(w.bytes(key.hash), string(key.language), version, today, sealed.sealed())
			}
		})
}

func (w *writing) bytes(hash string) []byte {
	bytes, err := hex.DecodeString(hash)
	w.err = errors.Join(w.err, err)
	return bytes
}

// keptDays is how long the outline of a content is kept that no file has: a branch that is left is often entered
// again.
const keptDays = 14

// collect deletes outlines that have not been used for long. If it fails, the next process does it.
func (s *store) collect(ctx context.Context) {
	tx, err := s.database.begin(ctx)
	if err != nil {
		return
	}
	defer tx.Rollback() //nolint:errcheck // it is only for what was not committed
	today := day(s.options.Now())
	_, err = tx.ExecContext(ctx, "UPDATE outlines SET used = ? WHERE used < ? AND hash IN (SELECT hash FROM files)", today, today)
	if err != nil {
		return
	}
	if _, err = tx.ExecContext(ctx, "DELETE FROM outlines WHERE used < ?", today-keptDays); err == nil {
		tx.Commit() //nolint:errcheck // see above
	}
}

// setAside moves away a database that is no longer usable.
func (s *store) setAside(reason error) {
	s.mu.Lock()
	s.reading = nil
	clear(s.ids)
	s.mu.Unlock()
	s.asides++
	s.close()
	if err := s.database.setAside(); err != nil {
		reason = errors.Join(reason, err)
	}
	s.database = nil
	s.note(fmt.Sprintf("The index in %s was of no use and is built anew (%v).", s.options.Dir, reason))
}

func (s *store) close() {
	if s.database != nil {
		s.database.close() //nolint:errcheck // what was committed stays, whatever this says
	}
}
