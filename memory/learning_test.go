package memory

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

// What the user has written is in each view, whatever the task: by priority, then the newest first. Rows of runs are not.
func TestView_HasTheUsersOwnNotes(t *testing.T) {
	t.Parallel()
	p, clock := open(t)
	put := func(s *Store, key string, priority int, tier Tier, source Source) {
		clock.add(day)
		_, err := s.Write(t.Context(), Entry{Tier: tier, Key: key, Value: JSON("x"), Priority: priority, Source: source})
		require.NoError(t, err)
	}
	put(p.Store, "old", 0, Long, byUser)
	put(p.Store, "new", 0, Long, byUser)
	put(p.Store, "first", 5, Long, byUser)
	put(p.Global.Store, "everywhere", 0, Long, byUser)
	put(p.Store, "a model's", 9, Long, byModel)
	put(p.Store, "short", 9, Episodic, byUser)
	view, err := p.View(t.Context(), ViewQuery{Text: "paint it"})
	require.NoError(t, err)
	var keys []string
	for _, h := range view.Own {
		keys = append(keys, h.Entry.Key)
	}
	require.Equal(t, []string{"first", "new", "old", "everywhere"}, keys)
}

// One tag of several is no likeness.
func TestPlaybooksFor_NeedsTwoTagsOrAll(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	for _, tags := range [][]string{{"go"}, {"go", "api"}, {"go", "api", "test"}, {"go", "database", "test"}} {
		_, err := p.SavePlaybook(t.Context(), Playbook{Title: fmt.Sprint(tags), Content: "c", Tags: tags, Source: byUser})
		require.NoError(t, err)
	}
	found, err := p.PlaybooksFor(t.Context(), []string{"go", "api"})
	require.NoError(t, err)
	var titles []string
	for _, b := range found {
		titles = append(titles, b.Title)
	}
	require.Equal(t, []string{"[go api test]", "[go api]", "[go]"}, titles)
}

func TestPatterns_PruneAndClear(t *testing.T) {
	t.Parallel()
	p, clock := open(t)
	learn(t, p.Store, Convention, "good thing", 9, 0)
	learn(t, p.Store, Convention, "bad thing", 0, 9)
	low, err := p.Prune(t.Context(), 0.3, true)
	require.NoError(t, err)
	require.Len(t, low, 1)
	low, err = p.Prune(t.Context(), 0.3, false)
	require.NoError(t, err)
	require.Equal(t, "bad thing", low[0].Text)
	hits, err := p.Recall(t.Context(), Query{Text: "thing", Categories: Categories})
	require.NoError(t, err)
	require.Equal(t, []string{"good thing"}, texts(hits), "the index has no word of what is gone")

	clock.add(3000 * day)
	faded, err := p.Patterns(t.Context())
	require.NoError(t, err)
	require.InDelta(t, 10.0/11, faded[0].Counted(), 1e-9)
	low, err = p.Prune(t.Context(), HiddenBelow, false)
	require.NoError(t, err)
	require.Len(t, low, 1, "what has faded is pruned")

	learn(t, p.Store, Dependency, "another", 1, 0)
	n, err := p.ClearLearning(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	learn(t, p.Store, Dependency, "another", 1, 0)
	again, err := p.FindPattern(t.Context(), Dependency, "another")
	require.NoError(t, err)
	require.Equal(t, 1, again.Successes, "no evidence of before is left")
}

// Lessons of earlier versions that say nothing are gone; what was imported under a category that is gone stays.
func TestSchema_LessonsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	older(t, folder, 3)
	file := filepath.Join(folder, "projects/shared/memory.db")
	db, err := sqlite.Open(t.Context(), file, sqlite.Options{Migrations: migrations[:3]})
	require.NoError(t, err)
	for i, row := range [][3]string{
		{"architecture", "handlers are thin", "ask api"}, {"tool_usage", "use rg", ""},
		{"failure_pattern", "go test | a", "what turned it green: diff --git"}, {"success_pattern", "feature:.", "what passed: changes in ; checked by"},
	} {
		require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO patterns (id, category, pattern, folded, fix, created_at, updated_at, origin) VALUES (?, ?, ?, ?, ?, ?, ?, 'import')`,
				100+i, row[0], row[1], row[1], row[2], stamp(noon), stamp(noon))
			return err
		}))
	}
	require.NoError(t, db.Close())
	p, err := Open(t.Context(), folder, "shared", Options{Now: (&clock{noon}).now})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	all, err := p.Patterns(t.Context())
	require.NoError(t, err)
	got := map[string]string{}
	for _, pattern := range all {
		got[pattern.Text] = string(pattern.Category) + " " + pattern.Fix
	}
	delete(got, "Wrap errors")
	require.Equal(t, map[string]string{"handlers are thin": "convention ask api", "use rg": "convention ", "feature:.": "success_pattern "}, got)
}
