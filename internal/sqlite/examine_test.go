package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestExamine_ACheckHasALimit breaks a check off before it has found the damage that it finds otherwise.
func TestExamine_ACheckHasALimit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.db")
	db, err := Open(t.Context(), file, Options{Migrations: []Migration{{Version: 1, SQL: "CREATE TABLE t (x)"}}})
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		for i := range 5000 {
			if _, err := tx.Exec("INSERT INTO t VALUES (?)", fmt.Sprint("row ", i)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), 10*4096)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	require.NoError(t, (&opener{}).check(t.Context(), file, time.Nanosecond))
	require.True(t, isDamage((&opener{}).check(t.Context(), file, time.Hour)))
	require.True(t, isDamage((&opener{}).check(t.Context(), file, 0)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, (&opener{}).check(ended, file, time.Hour), context.Canceled)
}
