package memory

import (
	"context"
	"database/sql"
	"fmt"
)

// EndRun records that a run is terminal: what its agents kept in the mid tier is deleted a day later.
// Repeating it changes nothing.
func (p *Project) EndRun(ctx context.Context, run string) error {
	if run == "" {
		return fmt.Errorf("end a run: %w: it has no name", ErrInvalid)
	}
	return p.update(ctx, "end run "+run, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO run_ends (run, ended_at) VALUES (?, ?) ON CONFLICT DO NOTHING`, run, stamp(p.now()))
		return err
	})
}

// BeginRun records that a run starts or continues: its mid tier stays.
func (p *Project) BeginRun(ctx context.Context, run string) error {
	return p.update(ctx, "begin run "+run, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM run_ends WHERE run = ?`, run)
		return err
	})
}
