package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

// BenchmarkBench_Open opens and closes a file of three megabytes, which is checked each time: it is small.
func BenchmarkBench_Open(b *testing.B) {
	file := filepath.Join(b.TempDir(), "a.db")
	o := sqlite.Options{Migrations: one}
	db, err := sqlite.Open(b.Context(), file, o)
	require.NoError(b, err)
	require.NoError(b, db.Write(b.Context(), func(tx *sql.Tx) error {
		for i := range 30_000 {
			if _, err := tx.Exec("INSERT INTO rows (writer, number) VALUES (?, ?)", strings.Repeat("w", 40), i); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(b, db.Close())
	for b.Loop() {
		db, err := sqlite.Open(b.Context(), file, o)
		require.NoError(b, err)
		require.NoError(b, db.Close())
	}
}
