package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"forge/internal/failpoint"
)

// Migration leads from one version of the tables to the next, in one transaction.
type Migration struct {
	Version int // 1, 2, 3, …
	SQL     string
}

// applicationID is Forge's mark in the header of a file: "Frge".
const applicationID = 0x46726765

// versions repeats the header, so that a header with a flipped bit is not mistaken for another program's.
const versions = `CREATE TABLE IF NOT EXISTS forge_versions (version INTEGER PRIMARY KEY, migrated TEXT NOT NULL) STRICT`

func checkMigrations(all []Migration) error {
	for i, m := range all {
		if m.Version != i+1 {
			return fmt.Errorf("migration %d has version %d: they are numbered from 1", i+1, m.Version)
		}
	}
	if len(all) == 0 {
		return errors.New("there are no migrations")
	}
	return nil
}

// migrate makes the steps that are missing. Each is one transaction, with its version, so a process that dies leaves one
// of the versions; the copy that is made first is for damage on the way.
func (o *opener) migrate(ctx context.Context, writer *sql.DB) error {
	var version int
	if err := writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > 0 && version < len(o.Migrations) {
		if err := o.backUp(ctx, writer); err != nil {
			return fmt.Errorf("back up version %d of the tables: %w", version, err)
		}
	}
	for _, m := range o.Migrations[min(version, len(o.Migrations)):] {
		if err := o.step(ctx, writer, m); err != nil {
			return fmt.Errorf("migrate the tables to version %d: %w", m.Version, err)
		}
		failpoint.Hit(FailMigrated)
	}
	failpoint.Hit(FailUpToDate)
	return o.removeBackUps()
}

func (o *opener) step(ctx context.Context, writer *sql.DB, m Migration) (err error) {
	tx, err := writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // a commit that failed has rolled back already
		}
	}()
	for _, statement := range []string{versions, m.SQL} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := o.mark(ctx, tx, m.Version); err != nil {
		return err
	}
	failpoint.Hit(FailMigrate)
	return tx.Commit()
}

func (o *opener) mark(ctx context.Context, tx *sql.Tx, version int) error {
	at := o.Now().UTC().Format(time.RFC3339)
	if _, err := tx.ExecContext(ctx, "INSERT INTO forge_versions VALUES (?, ?)", version, at); err != nil {
		return err
	}
	// PRAGMA takes no parameters.
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, applicationID))
	return err
}
