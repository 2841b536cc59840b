package memory

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
	"forge/internal/testkit"
)

var update = flag.Bool("update", false, "write the dump of a version that has none yet")

// dumpOf is the file in which a memory of an older version is kept: its tables, and rows in them.
func dumpOf(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("version%d.sql", version))
}

// oldRows are what stands in the dumps, by the version that brought their table.
var oldRows = map[int]string{
	1: `INSERT INTO memory (tier, agent, key, value, created_at, updated_at, tokens, origin, run, node) VALUES
  ('long', 'executor', 'parser', '"a lesson about the parser"', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 7, 'user', '', ''),
  ('mid', 'executor', 'workdir', '{"path": "sub"}', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 4, 'model', 'r1', 'executor');
INSERT INTO spec_versions (version, prompt, spec_md, changelog, created_at, origin) VALUES (1, 'a parser', '# Parser', 'first', '2026-11-01 10:00:00.000', 'user');
INSERT INTO subagent_runs (run_id, task_id, agent_type, status, created_at, origin) VALUES ('sub_0123456789ab', 't', 'executor', 'running', '2026-11-01 10:00:00.000', 'model');
`,
	2: `INSERT INTO patterns (category, pattern, folded, created_at, updated_at, origin) VALUES ('convention', 'Wrap errors', 'wrap errors', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 'model');
INSERT INTO evidence (pattern, verdict, run, node, attempt, gate, summary, event, at) VALUES (1, 'pass', 'r1', 'executor', 1, 'go test', '', 3, '2026-11-01 10:00:00.000');
INSERT INTO pattern_words (rowid, words) VALUES (1, 'Wrap errors');
INSERT INTO memory_words (rowid, words) VALUES (1, 'parser a lesson about the parser'), (2, 'workdir path sub');
INSERT INTO playbooks (title, folded, content, created_at, updated_at, origin) VALUES ('Tests', 'tests', 'How', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 'user');
`,
}

// older makes a memory of an older version out of its dump.
func older(t *testing.T, folder string, version int) {
	t.Helper()
	dump, err := os.ReadFile(dumpOf(version))
	require.NoError(t, err, "each version that was released has a dump: go test ./memory -run Dump -update")
	for _, file := range []string{"projects/shared/memory.db", "global/memory.db"} {
		var all []sqlite.Migration
		for v := 1; v < version; v++ {
			all = append(all, sqlite.Migration{Version: v, SQL: "SELECT 1"})
		}
		db, err := sqlite.Open(t.Context(), filepath.Join(folder, file), sqlite.Options{Migrations: append(all, sqlite.Migration{Version: version, SQL: string(dump)})})
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

// tables are the definitions in a file.
func tables(t *testing.T, db *sqlite.DB) []string {
	t.Helper()
	all, err := sqlite.All(context.Background(), db.Read(), sqlite.Value[string],
		`SELECT type || ' ' || name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name`)
	require.NoError(t, err)
	return all
}

// fresh are the tables of a new file of a version.
func fresh(t *testing.T, version int) []string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{Migrations: migrations[:version]})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	return tables(t, db)
}

// TestSchema_DumpsAreTheReleasedTables fails when a migration is changed after it was released.
func TestSchema_DumpsAreTheReleasedTables(t *testing.T) {
	t.Parallel()
	for version := 1; version < len(migrations); version++ {
		if _, err := os.Stat(dumpOf(version)); err != nil && *update {
			writeDump(t, version)
		}
		folder := t.TempDir()
		older(t, folder, version)
		db, err := sqlite.Open(t.Context(), filepath.Join(folder, "global/memory.db"), sqlite.Options{Migrations: migrations[:version]})
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(fresh(t, version), tables(t, db)), "version %d", version)
		require.NoError(t, db.Close())
	}
}

func writeDump(t *testing.T, version int) {
	t.Helper()
	var dump strings.Builder
	fmt.Fprintf(&dump, "-- A memory of version %d, as it was released. Never change this file.\n", version)
	for _, m := range migrations[:version] {
		dump.WriteString(m.SQL)
	}
	for v := 1; v <= version; v++ {
		dump.WriteString("\n" + oldRows[v])
	}
	require.NoError(t, os.WriteFile(dumpOf(version), []byte(dump.String()), 0o644))
}

// requireMigrated proves that the rows of an older version are there, and can be used as those of this one.
func requireMigrated(t *testing.T, folder string, version int) {
	t.Helper()
	p := openShared(t, folder)
	ctx := t.Context()
	require.Empty(t, cmp.Diff(fresh(t, len(migrations)), tables(t, p.db)))
	for _, s := range []*Store{p.Store, p.Global.Store} {
		require.JSONEq(t, `{"path": "sub"}`, read(ctx, s, Mid, "executor", "workdir"))
		hits, err := recall(ctx, []*Store{s}, Query{Text: "lesson", Tiers: []Tier{Long}})
		require.NoError(t, err)
		require.Equal(t, []string{"parser"}, texts(hits))
		patterns, err := s.Patterns(ctx)
		require.NoError(t, err)
		if version >= 2 {
			require.InDelta(t, 2./3, patterns[0].Confidence, 1e-12)
		}
	}
	spec, err := p.Spec(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, "# Parser", spec.Text)
	oneOfEach(t, p)
	requireWhole(t, p)
}

func TestSchema_EachOlderVersionMigrates(t *testing.T) {
	t.Parallel()
	for version := 1; version < len(migrations); version++ {
		folder := t.TempDir()
		older(t, folder, version)
		requireMigrated(t, folder, version)
	}
}

// TestSchema_KilledWhileMigrating kills a process at each step of the migration of each older version, in either file.
func TestSchema_KilledWhileMigrating(t *testing.T) {
	t.Parallel()
	for version := 1; version < len(migrations); version++ {
		steps := len(migrations) - version
		for place, times := range map[string]int{
			sqlite.FailBackUp: 1, sqlite.FailBackedUp: 1, sqlite.FailMigrate: steps, sqlite.FailMigrated: steps, sqlite.FailUpToDate: 1,
		} {
			for n := 1; n <= testkit.Cases(times, 2*times); n++ {
				t.Run(fmt.Sprint(version, " ", place, " ", n), func(t *testing.T) {
					t.Parallel()
					folder := t.TempDir()
					older(t, folder, version)
					diedAt(t, "open", folder, fmt.Sprint(place, ":", n), "")
					requireMigrated(t, folder, version)
				})
			}
		}
	}
}

func TestSchema_ANewerMemoryIsNotTouched(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(folder, "global/memory.db"),
		sqlite.Options{Migrations: append(slices.Clone(migrations), sqlite.Migration{Version: len(migrations) + 1, SQL: "CREATE TABLE later (id INTEGER)"})})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	c := &clock{noon}
	_, err = Open(t.Context(), folder, "shared", Options{Now: c.now})
	require.ErrorIs(t, err, sqlite.ErrNewer)
}
