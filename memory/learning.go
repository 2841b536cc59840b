package memory

import (
	"context"
	"database/sql"
	"slices"

	"forge/internal/sqlite"
)

// ClearLearning deletes all patterns with their evidence, and returns their number. What the user has written, playbooks and
// tasks stay.
func (s *Store) ClearLearning(ctx context.Context) (cleared int, err error) {
	err = s.update(ctx, "clear what was learned", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM evidence`); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO pattern_words (pattern_words) VALUES ('delete-all')`); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, `DELETE FROM patterns`)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		cleared = int(n)
		return err
	})
	return cleared, err
}

// Prune deletes the patterns whose confidence, with what has faded, is below a bound, and returns them. With dryRun it only returns
// them.
func (s *Store) Prune(ctx context.Context, below float64, dryRun bool) (pruned []Pattern, err error) {
	err = s.update(ctx, "prune what was learned", func(tx *sql.Tx) error {
		all, err := sqlite.All(ctx, tx, scanPattern(s.now()), `SELECT `+patternColumns+` FROM patterns ORDER BY id`)
		pruned = slices.DeleteFunc(all, func(p Pattern) bool { return p.Confidence >= below })
		for _, p := range pruned {
			if err != nil || dryRun {
				break
			}
			var n int64
			if n, err = p.ID.numberOf(kindPattern); err == nil {
				err = deletePattern(ctx, tx, n)
			}
		}
		return err
	})
	return pruned, err
}

// Counted is the confidence of a pattern before it has faded.
func (p Pattern) Counted() float64 {
	c := Confidence(p.Successes, p.Failures)
	if p.Source.Origin == User && p.Failures == 0 {
		c = max(c, statedConfidence)
	}
	return c
}
