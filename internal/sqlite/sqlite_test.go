package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

func TestSqlite_Write(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "a.db")
	db := opened(t, file)
	require.NoError(t, insert(t.Context(), db, "a", 1))
	refused := errors.New("refused")
	require.ErrorIs(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO rows (writer, number) VALUES ('b', 2)")
		require.NoError(t, err)
		return refused
	}), refused)
	require.NoError(t, db.WriteRelaxed(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO rows (writer, number) VALUES ('c', 3)")
		return err
	}))
	require.Equal(t, 0, count(t, db, "writer = 'b'"))
	require.Equal(t, 2, count(t, db, "true"))
	_, err := db.Read().Exec("DELETE FROM rows")
	require.Error(t, err, "the handle that reads can write")
	require.NoError(t, db.Close())
	require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
	require.Equal(t, 2, count(t, opened(t, file), "true"))
}

func TestSqlite_Modes(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "state")
	db := opened(t, filepath.Join(folder, "a.db"))
	require.NoError(t, insert(t.Context(), db, "a", 1))
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for _, name := range files(t, folder) {
		info, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
}

func TestSqlite_NewerIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"a newer Forge":      "PRAGMA user_version = 99; INSERT INTO forge_versions VALUES (99, 'later')",
		"another program":    "DROP TABLE forge_versions; PRAGMA application_id = 7",
		"an unknown program": "DROP TABLE forge_versions; PRAGMA application_id = 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.db")
			require.NoError(t, opened(t, file).Close())
			execute(t, file, change)
			was, err := os.ReadFile(file)
			require.NoError(t, err)

			_, err = sqlite.Open(t.Context(), file, sqlite.Options{Migrations: one})
			require.ErrorIs(t, err, sqlite.ErrNewer)
			now, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, was, now)
			require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
		})
	}
}

func execute(t *testing.T, file, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
