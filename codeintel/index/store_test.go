package index_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
)

// kept makes a folder with an index that is kept on disk.
func kept(t *testing.T) (root, state, want string) {
	t.Helper()
	root, state = tree(t, 40), t.TempDir()
	x := open(t, root, state)
	want = x.dump()
	require.NoError(t, x.Close())
	return root, state, want
}

// reopened opens an index twice: the first time it may note something, the second time all must be well.
func reopened(t *testing.T, root, state, want string) (notes []string) {
	t.Helper()
	x := open(t, root, state)
	require.Empty(t, cmp.Diff(want, x.dump()))
	require.NoError(t, x.Close())
	notes = x.Status().Notes
	x = open(t, root, state)
	require.Empty(t, cmp.Diff(want, x.dump()))
	require.NoError(t, x.Close())
	require.Empty(t, x.Status().Notes)
	return notes
}

func TestStore_RebuildsADamagedIndex(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, file string){
		"other bytes": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, []byte("this is no database, but it is long enough to be one"), 0o600))
		},
		"cut in half": func(t *testing.T, file string) {
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(file, info.Size()/2))
		},
		"all zeros behind the header": func(t *testing.T, file string) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			clear(content[100:])
			require.NoError(t, os.WriteFile(file, content, 0o600))
		},
		"of another version": func(t *testing.T, file string) { execute(t, file, "PRAGMA user_version = 99") },
		"without a table":    func(t *testing.T, file string) { execute(t, file, "DROP TABLE segments") },
		"a segment is damaged": func(t *testing.T, file string) {
			execute(t, file, "UPDATE segments SET data = zeroblob(length(data))")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, state, want := kept(t)
			damage(t, filepath.Join(state, "index.db"))
			require.NotEmpty(t, reopened(t, root, state, want))
			require.FileExists(t, filepath.Join(state, "index.db.damaged"))
		})
	}
}

func execute(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// TestStore_SurvivesDamageAnywhere changes bytes at random offsets: whatever comes of it, the index is right.
func TestStore_SurvivesDamageAnywhere(t *testing.T) {
	t.Parallel()
	root, state, want := kept(t)
	file := filepath.Join(state, "index.db")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		damaged := append([]byte(nil), content...)
		for range 1 + random.IntN(20) {
			damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
		}
		require.NoError(t, os.WriteFile(file, damaged, 0o600))
		x := open(t, root, state)
		require.Empty(t, cmp.Diff(want, x.dump()))
		require.NoError(t, x.Close())
	}
}

func TestStore_EmptyFileIsNoDamage(t *testing.T) {
	t.Parallel()
	root, state, want := kept(t)
	require.NoError(t, os.WriteFile(filepath.Join(state, "index.db"), nil, 0o600))
	require.Empty(t, reopened(t, root, state, want))
}

func TestStore_IndexThatCannotBeKept(t *testing.T) {
	t.Parallel()
	root := tree(t, 10)
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	x := open(t, root, filepath.Join(blocked, "state"))
	require.Empty(t, cmp.Diff(fresh(t, root), x.dump()))
	require.NoError(t, x.Close())
	require.NotEmpty(t, x.Status().Notes)
}

// TestStore_LockedIndex proves that a lock that another process holds costs a second, and neither the answer nor the end.
func TestStore_LockedIndex(t *testing.T) {
	t.Parallel()
	root, state, want := kept(t)
	db, err := sql.Open("sqlite", filepath.Join(state, "index.db")+"?_pragma=locking_mode(EXCLUSIVE)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN EXCLUSIVE; DELETE FROM files")
	require.NoError(t, err)

	x := open(t, root, state)
	require.Empty(t, cmp.Diff(want, x.dump()))
	require.NotEmpty(t, x.Status().Notes)
	_, err = db.Exec("ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, x.Close())
	require.Empty(t, reopened(t, root, state, want))
}

func TestStore_OutlinesOfAnotherOutlinerDoNotCount(t *testing.T) {
	t.Parallel()
	root, state, _ := kept(t)
	x := open(t, root, state, func(o *index.Options) { o.OutlinerVersion, o.Outliner = "2", other{} })
	x.dump()
	require.Equal(t, "Other", x.View().Documents()[0].Outline.Symbols[0].Name)
}

// other is an outliner that finds one symbol everywhere.
type other struct{}

func (other) Outline(context.Context, codeintel.Language, string) (codeintel.Outline, error) {
	return codeintel.Outline{Symbols: []codeintel.Symbol{{Name: "Other"}}}, nil
}

// TestStore_OldOutlinesAreCollected proves that what no file has any more is kept for two weeks, and not for ever.
func TestStore_OldOutlinesAreCollected(t *testing.T) {
	t.Parallel()
	root, state, _ := kept(t)
	content, err := os.ReadFile(filepath.Join(root, "d0/f0.go"))
	require.NoError(t, err)
	later := func(days int) int {
		x := open(t, root, state, func(o *index.Options) {
			o.Now = func() time.Time { return time.Now().AddDate(0, 0, days) }
		})
		x.dump()
		require.NoError(t, x.Close())
		return countRows(t, filepath.Join(state, "index.db"), "outlines")
	}
	require.Equal(t, 40, later(0))
	require.NoError(t, os.Remove(filepath.Join(root, "d0/f0.go")))
	require.Equal(t, 40, later(0))
	require.Equal(t, 40, later(10))
	require.Equal(t, 39, later(20))
	write(t, root, "d0/f0.go", string(content))
	require.Equal(t, 40, later(21))
}

func countRows(t *testing.T, file, table string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
	return n
}
