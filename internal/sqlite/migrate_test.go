package sqlite_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
	"forge/internal/testkit"
)

// The failpoints at which processes are killed.
var (
	placesOfMigrating = []string{
		sqlite.FailBackUp, sqlite.FailBackedUp, sqlite.FailMigrate, sqlite.FailMigrate + ":2", sqlite.FailMigrated,
		sqlite.FailMigrated + ":2", sqlite.FailUpToDate,
	}
	placesOfRebuilding = []string{
		"", sqlite.FailMarking, sqlite.FailMark, sqlite.FailMoveWAL, sqlite.FailMove, sqlite.FailRestoring, sqlite.FailBackUp,
		sqlite.FailUpToDate,
	}
	placesOfMaking  = []string{sqlite.FailCreate, sqlite.FailMigrate, sqlite.FailMigrate + ":3", sqlite.FailMigrated, sqlite.FailUpToDate}
	placesOfWriting = map[string]int{sqlite.FailCommit + ":3": 2, sqlite.FailCommitted + ":3": 3} // and how many rows are there
)

// newer opens a file as a newer program does, and proves that the rows of an older one are there, migrated.
func newer(t *testing.T, file string, rows int, told *[]string) *sqlite.DB {
	t.Helper()
	db := opened(t, file, notes(told), func(o *sqlite.Options) { o.Migrations = two })
	require.Equal(t, rows, count(t, db, "square = number * number"))
	require.Equal(t, rows, count(t, db, "true"))
	_, err := db.Read().Exec("SELECT id FROM more")
	require.NoError(t, err)
	return db
}

func TestMigrate_ANewerFileIsRefused(t *testing.T) {
	t.Parallel()
	file := filled(t, 50)
	var told []string
	require.NoError(t, newer(t, file, 50, &told).Close())
	require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
	require.Empty(t, told)
	_, err := sqlite.Open(t.Context(), file, sqlite.Options{Migrations: one})
	require.ErrorIs(t, err, sqlite.ErrNewer)
}

// TestMigrate_NewerIsNotWrittenWhileItIsOpen proves it for a file that a newer program has open at this moment, or died with.
func TestMigrate_NewerIsNotWrittenWhileItIsOpen(t *testing.T) {
	t.Parallel()
	file := filled(t, 5)
	var told []string
	db := newer(t, file, 5, &told)
	was, err := os.ReadFile(file + "-wal")
	require.NoError(t, err)
	_, err = sqlite.Open(t.Context(), file, sqlite.Options{Migrations: one})
	require.ErrorIs(t, err, sqlite.ErrNewer)
	now, err := os.ReadFile(file + "-wal")
	require.NoError(t, err)
	require.Equal(t, was, now)
	require.NoError(t, insert(t.Context(), db, "a", 0))
}

func TestMigrate_AMigrationThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	file := filled(t, 5)
	failing := append(slices.Clone(two), sqlite.Migration{Version: 4, SQL: "DROP TABLE rows; DROP TABLE missing"})
	_, err := sqlite.Open(t.Context(), file, sqlite.Options{Migrations: failing})
	require.ErrorContains(t, err, "no such table: missing")
	var told []string
	newer(t, file, 5, &told)
	require.Empty(t, told)
}

// diedAt lets another process migrate the file until a place where it dies.
func diedAt(t *testing.T, file, place string) {
	t.Helper()
	cmd := process(t, "migrate", file, failpoint.Environment+"="+place)
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "no process passed %s", place)
	require.Empty(t, string(out), "it died of something else")
}

// TestMigrate_KilledWhileMigrating kills a process at each place of a migration: the next start ends it, and leaves nothing.
func TestMigrate_KilledWhileMigrating(t *testing.T) {
	t.Parallel()
	for _, place := range placesOfMigrating {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filled(t, 50)
			diedAt(t, file, place)
			var told []string
			require.NoError(t, newer(t, file, 50, &told).Close())
			require.Empty(t, told)
			require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
		})
	}
}

// TestMigrate_DamagedWhileMigrating damages the file of a migration that was killed: what was copied before is restored, also if
// the process that does it is killed in turn.
func TestMigrate_DamagedWhileMigrating(t *testing.T) {
	t.Parallel()
	for _, place := range placesOfRebuilding {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filled(t, 50)
			diedAt(t, file, sqlite.FailMigrated)
			require.NoError(t, os.WriteFile(file, []byte("damage"), 0o600))
			if place != "" {
				diedAt(t, file, place)
			}
			var told []string
			require.NoError(t, newer(t, file, 50, &told).Close())
			names := files(t, filepath.Dir(file))
			require.Equal(t, 1, damaged(names))
			for _, name := range names {
				require.True(t, name == "a.db" || strings.Contains(name, ".damaged-"), name)
			}
		})
	}
}

// TestMigrate_ADamagedCopyIsNotRestored damages both: a new file is begun.
func TestMigrate_ADamagedCopyIsNotRestored(t *testing.T) {
	t.Parallel()
	file := filled(t, 50)
	diedAt(t, file, sqlite.FailMigrated)
	for _, suffix := range []string{"", ".before-migration"} {
		require.NoError(t, os.WriteFile(file+suffix, []byte("damage"), 0o600))
	}
	var told []string
	require.NoError(t, newer(t, file, 0, &told).Close())
	require.Len(t, told, 1)
}

// TestMigrate_KilledWhileMakingANewFile kills a process at each place of a first start.
func TestMigrate_KilledWhileMakingANewFile(t *testing.T) {
	t.Parallel()
	for _, place := range placesOfMaking {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "state", "a.db")
			diedAt(t, file, place)
			var told []string
			require.NoError(t, newer(t, file, 0, &told).Close())
			require.Empty(t, told)
			require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
		})
	}
}

func TestMigrate_MigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	for _, wrong := range [][]sqlite.Migration{nil, {{Version: 2}}, {{Version: 1}, {Version: 3}}} {
		_, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Options{Migrations: wrong})
		require.Error(t, err)
	}
}

// TestMigrate_KilledWhileWriting kills a process before and after a commit: nothing of the row is there, or all of it.
func TestMigrate_KilledWhileWriting(t *testing.T) {
	t.Parallel()
	for place, rows := range placesOfWriting {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filled(t, 5)
			cmd := process(t, "acknowledge", file, failpoint.Environment+"="+place, "FORGE_SQLITE_BY=w")
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Equal(t, "0\n1\n", string(out))
			require.Equal(t, rows, count(t, opened(t, file), "writer = 'w'"))
		})
	}
}

// TestMigrate_EveryPlaceIsPassed: the tests above kill a process at each place that the package names.
func TestMigrate_EveryPlaceIsPassed(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, place := range slices.Concat(placesOfMigrating, placesOfRebuilding, placesOfMaking, slices.Collect(maps.Keys(placesOfWriting))) {
		name, _, _ := strings.Cut(place, ":")
		tested[name] = true
	}
	delete(tested, "") // no process is killed
	require.ElementsMatch(t, testkit.Failpoints("internal/sqlite"), slices.Collect(maps.Keys(tested)))
}
