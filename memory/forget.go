package memory

import (
	"context"
	"database/sql"
	"fmt"
)

// Forget deletes a row for good: an entry, a pattern with its evidence, a playbook, an attempt,
// a task. A version of the specification cannot be forgotten: they are append-only.
func (s *Store) Forget(ctx context.Context, id ID) error {
	k, n, err := id.parse()
	if err != nil {
		return err
	}
	if k == kindSpec {
		return fmt.Errorf("forget %s: %w: versions of the specification are append-only; save a new one instead", id, ErrInvalid)
	}
	return s.update(ctx, "forget "+string(id), func(tx *sql.Tx) error {
		switch k {
		case kindEntry:
			return deleteEntry(ctx, tx, n)
		case kindPattern:
			return deletePattern(ctx, tx, n)
		case kindPlaybook:
			return deleteRow(ctx, tx, `DELETE FROM playbooks WHERE id = ?`, n)
		case kindIteration:
			return deleteRow(ctx, tx, `DELETE FROM iterations WHERE id = ?`, n)
		default:
			return deleteTask(ctx, tx, id)
		}
	})
}

func deletePattern(ctx context.Context, tx *sql.Tx, n int64) error {
	for _, statement := range []string{`DELETE FROM pattern_words WHERE rowid = ?`, `DELETE FROM evidence WHERE pattern = ?`} {
		if _, err := tx.ExecContext(ctx, statement, n); err != nil {
			return err
		}
	}
	return deleteRow(ctx, tx, `DELETE FROM patterns WHERE id = ?`, n)
}
