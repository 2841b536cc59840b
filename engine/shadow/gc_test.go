package shadow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

const day = 24 * time.Hour

func collect(t *testing.T, r *Repo, o GCOptions) GCReport {
	t.Helper()
	trial := o
	trial.DryRun = true
	would, err := r.GC(t.Context(), trial)
	require.NoError(t, err)
	report, err := r.GC(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, would.Before, report.Before, "a dry run drops nothing")
	require.Equal(t, would.Snapshots, report.Snapshots)
	if o.Quota == 0 {
		require.Equal(t, would.Entries, report.Entries)
	}
	return report
}

func record(t *testing.T, r *Repo, run string, at time.Time, before, after string) string {
	t.Helper()
	id, err := r.Ledger.Record(t.Context(), Entry{RunID: run, Title: run, Time: at, Changes: patch.ChangeSet{
		Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: before, After: after}},
	}})
	require.NoError(t, err)
	return id
}

func recorded(t *testing.T, r *Repo) []string {
	t.Helper()
	entries, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	var runs []string
	for _, e := range entries {
		runs = append(runs, e.RunID)
	}
	return runs
}

func TestGC_KeepsReachableObjects(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	put(t, root, "f", "0\n")
	r := openIn(t, state, root)
	base := snap(t, r, nil)
	live := checkout(t, openIn(t, state, root), snap(t, r, map[string]string{"f": "of a tree\n"})) // another process
	require.NoError(t, live.Apply(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", After: "step\n"}}}))
	lost := snap(t, r, map[string]string{"f": "nobody's\n"})
	named := snap(t, r, map[string]string{"f": "of a run that may be resumed\n"})

	require.Zero(t, collect(t, r, GCOptions{Now: time.Now()}).Snapshots, "who made them may not have said so yet")
	report := collect(t, r, GCOptions{Now: time.Now().Add(2 * day), Keep: []string{named.Commit}})
	require.Equal(t, 2, report.Snapshots, "base and lost")
	require.Less(t, report.After, report.Before)
	require.Zero(t, report.OverQuota)

	require.NoError(t, live.Reset(t.Context()))
	require.Equal(t, map[string]string{"f": "of a tree\n"}, files(t, live.Dir()))
	require.Equal(t, map[string]string{"f": "of a run that may be resumed\n"}, files(t, checkout(t, r, named).Dir()))
	_, err := r.Trees.Checkout(t.Context(), lost)
	require.Error(t, err, "the twin: what is not needed is gone")
	require.Equal(t, base, snap(t, r, nil), "the same content is the same snapshot, also when it was gone")
	require.Equal(t, map[string]string{"f": "0\n"}, content(t, r, nil))
}

func TestGC_KeepsTheLedger(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	r := open(t, t.TempDir())
	noise := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // text that does not compress
	text := func() string {
		var b []byte
		for range 20000 {
			b = fmt.Appendf(b, "%d\n", noise.Uint32())
		}
		return string(b)
	}
	record(t, r, "old1", now.Add(-200*day), "a", text())
	record(t, r, "old2", now.Add(-199*day), "a", text())
	record(t, r, "mid1", now.Add(-100*day), "a", text())
	record(t, r, "new1", now.Add(-50*day), "a", text())
	newest := text()
	last := record(t, r, "new2", now.Add(-1*day), "a", newest)

	o := GCOptions{Now: now, KeepRuns: 3, KeepFor: 90 * day}
	report := collect(t, r, o)
	require.Equal(t, 2, report.Entries)
	require.Equal(t, []string{"new2", "new1", "mid1"}, recorded(t, r), "of the last three runs, or of the last 90 days")
	o.Quota = report.After - 1
	report = collect(t, r, o)
	require.Equal(t, 1, report.Entries, "too old, kept as long as there was room")
	require.Zero(t, report.OverQuota)
	require.Equal(t, []string{"new2", "new1"}, recorded(t, r))
	o.Quota = 1
	report = collect(t, r, o)
	require.Equal(t, []string{"new2", "new1"}, recorded(t, r), "a promise is no matter of room")
	require.Equal(t, report.After-1, report.OverQuota)
	e, err := r.Ledger.Entry(t.Context(), last)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(newest, e.Changes.Files[0].After))
}

func TestGC_GivesUpThePoolFirst(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "0\n")
	r := open(t, root)
	require.NoError(t, checkout(t, r, snap(t, r, nil)).Close())
	require.Len(t, pooled(t, r), 1)
	require.Zero(t, collect(t, r, GCOptions{Now: time.Now()}).Trees)
	require.Len(t, pooled(t, r), 1)
	require.Equal(t, 1, collect(t, r, GCOptions{Now: time.Now(), Quota: 1}).Trees)
	require.Empty(t, pooled(t, r))
}

// The next collection removes the leftovers of a killed one.
func TestGC_CleansUpAfterAKilledOne(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "0\n")
	r := open(t, root)
	snap(t, r, nil)
	left := []string{"objects/pack/tmp_pack_x", "objects/pack/.tmp-1-pack-x.pack", "objects/tmp_obj_x", "packed-refs.lock"}
	for _, name := range left {
		put(t, r.dir.Git, name, "x")
	}
	collect(t, r, GCOptions{Now: time.Now()})
	for _, name := range left {
		require.NoFileExists(t, filepath.Join(r.dir.Git, name))
	}
	require.DirExists(t, filepath.Join(r.dir.Git, "objects"))
	require.Equal(t, "0\n", content(t, r, nil)["f"])
	_, err := os.Lstat(r.dir.Git)
	require.NoError(t, err)
}

// A thousand entries are one reading.
func TestEntries_StartOneProcess(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	for i := range 3 {
		record(t, openIn(t, state, root), fmt.Sprint(i), time.Unix(int64(i), 0), "a", "b")
	}
	counted := &counter{runner: direct{}}
	r, err := Open(t.Context(), counted, state, root)
	require.NoError(t, err)
	counted.commands.Store(0)
	require.Len(t, recorded(t, r), 3)
	require.EqualValues(t, 1, counted.commands.Load())
}
