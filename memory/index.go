package memory

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
	"forge/memory/words"
)

// indexVersion is raised when words are spelled otherwise: every file then makes its index again.
const indexVersion = 1

// ensureIndex makes the index again if it is of another version, or was not finished.
func (s *Store) ensureIndex(ctx context.Context) error {
	var version int
	err := s.view(ctx, "read the index of memory", func(q sqlite.RowSource) error {
		return q.QueryRowContext(ctx, `SELECT version FROM index_state`).Scan(&version)
	})
	if err != nil || version == indexVersion {
		return err
	}
	return s.Reindex(ctx)
}

// indexBatch is how many rows are indexed in one transaction.
const indexBatch = 2000

// Reindex rebuilds the word index from the rows. Other callers may read and write meanwhile; a query before the
// end may miss rows. Of several processes that do it at once, the one that began last marks it as whole.
func (s *Store) Reindex(ctx context.Context) error {
	const what = "rebuild the index of memory"
	var turn int
	err := s.update(ctx, what, func(tx *sql.Tx) error {
		var err error
		turn, err = emptyIndex(ctx, tx)
		return err
	})
	for _, part := range []func(context.Context, *sql.Tx, int64) (int64, error){indexEntries, indexPatterns} {
		for after := int64(0); after >= 0 && err == nil; {
			err = s.update(ctx, what, func(tx *sql.Tx) error {
				after, err = part(ctx, tx, after)
				return err
			})
			failpoint.Hit(failIndexed)
		}
	}
	if err != nil {
		return err
	}
	return s.update(ctx, what, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE index_state SET version = ? WHERE version = ?`, indexVersion, turn)
		return err
	})
}

// emptyIndex removes all words, and returns a new negative number that identifies this rebuild.
func emptyIndex(ctx context.Context, tx *sql.Tx) (turn int, err error) {
	for _, table := range []string{"memory_words", "pattern_words"} {
		if _, err := tx.ExecContext(ctx, `INSERT INTO `+table+` (`+table+`) VALUES ('delete-all')`); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, `UPDATE index_state SET version = min(version, 0) - 1 RETURNING version`).Scan(&turn)
	return turn, err
}

// indexEntries indexes the entries after a number. It returns the last number that it indexed, or -1 if none is left.
func indexEntries(ctx context.Context, tx *sql.Tx, after int64) (int64, error) {
	entries, err := sqlite.All(ctx, tx, scanEntry, `SELECT `+entryColumns+` FROM memory WHERE id > ? ORDER BY id LIMIT ?`, after, indexBatch)
	for _, e := range entries {
		if err == nil {
			after, err = e.ID.numberOf(kindEntry)
		}
		if err == nil {
			err = indexEntry(ctx, tx, e)
		}
	}
	if len(entries) == 0 {
		after = -1
	}
	return after, err
}

func indexPatterns(ctx context.Context, tx *sql.Tx, after int64) (int64, error) {
	patterns, err := sqlite.All(ctx, tx, scanPattern(epoch), `SELECT `+patternColumns+` FROM patterns WHERE id > ? ORDER BY id LIMIT ?`, after, indexBatch)
	for _, p := range patterns {
		if err == nil {
			after, err = p.ID.numberOf(kindPattern)
		}
		if err == nil {
			err = indexPattern(ctx, tx, p)
		}
	}
	if len(patterns) == 0 {
		after = -1
	}
	return after, err
}

// indexEntry puts the words of an entry in the place of those it had.
func indexEntry(ctx context.Context, tx *sql.Tx, e Entry) error {
	n, err := e.ID.numberOf(kindEntry)
	if err != nil {
		return err
	}
	return index(ctx, tx, "memory_words", n, entryText(e))
}

// indexPattern puts the words of a pattern in the place of those it had.
func indexPattern(ctx context.Context, tx *sql.Tx, p Pattern) error {
	n, err := p.ID.numberOf(kindPattern)
	if err != nil {
		return err
	}
	return index(ctx, tx, "pattern_words", n, patternText(p))
}

func index(ctx context.Context, tx *sql.Tx, table string, n int64, text string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO `+table+` (rowid, words) VALUES (?, ?)`, n, words.Indexed(text))
	if err != nil {
		return fmt.Errorf("index row %d: %w", n, err)
	}
	return nil
}

// entryText is what can be searched of an entry.
func entryText(e Entry) string { return e.Key + "\n" + words.JSONText(e.Value) }

// patternText is what can be searched of a pattern.
func patternText(p Pattern) string {
	return strings.Join([]string{p.Text, p.Fix, p.Context, strings.Join(p.Tags, " ")}, "\n")
}
