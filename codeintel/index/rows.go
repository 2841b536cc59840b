package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// load reads the records and segments of all files, from tables that may be missing.
func (d *database) load(ctx context.Context) (records map[string]record, segments []*segment, err error) {
	if v, err := version(d.pool.QueryRowContext(ctx, askVersion)); err != nil || v == 0 {
		return nil, nil, err
	}
	records = map[string]record{}
	err = each(ctx, d.pool, "SELECT path, size, changed, seen, hash, reason FROM files", nil, func(rows *sql.Rows) error {
		var r record
		var path sql.RawBytes
		err := rows.Scan(&path, &r.size, &r.changed, &r.seen, &r.hash, &r.reason)
		if err == nil && r.isKept() {
			records[string(path)] = r
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read files: %w", err)
	}
	err = each(ctx, d.pool, "SELECT id, data FROM segments", nil, func(rows *sql.Rows) error {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		in, err := decodeSegment(data)
		if err != nil {
			return err
		}
		in.id = id
		segments = append(segments, in)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read segments: %w", err)
	}
	return records, segments, nil
}

func each(ctx context.Context, from *sql.DB, query string, arguments []any, scan func(*sql.Rows) error) error {
	rows, err := from.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports it
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// outlines returns the encoded outlines of contents, as far as there are any and they can be read.
func (d *database) outlines(ctx context.Context, version string, hashes []string) map[outlineKey][]byte {
	arguments := []any{version}
	for _, hash := range hashes {
		arguments = append(arguments, hash)
	}
	query := "SELECT hash, language, data FROM outlines WHERE version = ? AND hash IN (?" + strings.Repeat(", ?", len(hashes)-1) + ")"
	all := map[outlineKey][]byte{}
	_ = each(ctx, d.pool, query, arguments, func(rows *sql.Rows) error { // what is missing is parsed
		var key outlineKey
		var data sql.RawBytes
		err := rows.Scan(&key.hash, &key.language, &data)
		all[key] = bytes.Clone(data)
		return err
	})
	return all
}

// write writes changes in one transaction.
func (d *database) write(ctx context.Context, c *changes, version string, today int64) error {
	tx, err := d.begin(ctx)
	if err != nil {
		return err
	}
	w := &writing{ctx: ctx, tx: tx}
	w.records(c.records)
	w.segments(c.segments)
	put := w.prepare("REPLACE INTO outlines (hash, language, version, used, data) VALUES (?, ?, ?, ?, ?)")
	for key, data := range c.outlines {
		put(key.hash, string(key.language), version, today, data)
	}
	if w.err != nil {
		return errors.Join(w.err, tx.Rollback())
	}
	return tx.Commit()
}

// writing is a transaction. After its first error it does nothing.
type writing struct {
	ctx context.Context //nolint:containedctx // of this transaction only
	tx  *sql.Tx
	err error
}

// prepare returns what executes a statement.
func (w *writing) prepare(query string) func(arguments ...any) {
	statement, err := w.tx.PrepareContext(w.ctx, query) //nolint:sqlclosecheck // the end of the transaction closes it
	w.err = errors.Join(w.err, err)
	return func(arguments ...any) {
		if w.err == nil {
			_, w.err = statement.ExecContext(w.ctx, arguments...)
		}
	}
}

func (w *writing) records(records map[string]record) {
	put := w.prepare("REPLACE INTO files (path, size, changed, seen, hash, reason) VALUES (?, ?, ?, ?, ?, ?)")
	remove := w.prepare("DELETE FROM files WHERE path = ?")
	for path, r := range records {
		if r.isKept() {
			put([]byte(path), r.size, r.changed, r.seen, r.hash, string(r.reason))
		} else {
			remove([]byte(path))
		}
	}
}

func (w *writing) segments(segments map[*segment]bool) {
	put, remove := w.prepare("REPLACE INTO segments (id, data) VALUES (?, ?)"), w.prepare("DELETE FROM segments WHERE id = ?")
	for in, keep := range segments {
		if keep {
			put(in.id, in.encode())
		} else {
			remove(in.id)
		}
	}
}

// keptDays is how long the outline of a content is kept that no file has: a branch that is left is often entered
// again.
const keptDays = 14

// clean deletes outlines that have not been used for long. If it fails, the next process does it.
func (d *database) clean(ctx context.Context, today int64) {
	tx, err := d.begin(ctx)
	if err != nil {
		return
	}
	defer tx.Rollback() //nolint:errcheck // it is only for what was not committed
	_, err = tx.ExecContext(ctx, "UPDATE outlines SET used = ? WHERE used < ? AND hash IN (SELECT hash FROM files)", today, today)
	if err != nil {
		return
	}
	if _, err = tx.ExecContext(ctx, "DELETE FROM outlines WHERE used < ?", today-keptDays); err == nil {
		tx.Commit() //nolint:errcheck // see above
	}
}

func day(at time.Time) int64 { return at.Unix() / int64(24*time.Hour/time.Second) }
