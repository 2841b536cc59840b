package flow_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

// Prunable lists exactly the runs that Prune deletes, and deletes nothing.
func TestPrunable_ListsTheRunsThatPruneDeletes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	store, err := flow.OpenStore(t.Context(), filepath.Join(t.TempDir(), "runs.db"), flow.Options{Now: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	for _, id := range []string{"old", "kept", "open", "new"} {
		lease, err := store.Begin(t.Context(), flow.NewRun{ID: id, Kind: "test"})
		require.NoError(t, err)
		if id == "open" {
			t.Cleanup(func() { _ = lease.Release(t.Context()) })
			continue
		}
		require.NoError(t, lease.End(t.Context(), flow.Done, "", nil))
	}
	for name, c := range map[string]struct {
		keep flow.Retention
		want []string
	}{
		"nothing ended before":   {flow.Retention{Before: now}, nil},
		"the newest stay":        {flow.Retention{Keep: 3, Before: now.Add(time.Hour)}, []string{"old"}},
		"what is not over stays": {flow.Retention{Before: now.Add(time.Hour)}, []string{"old", "kept", "new"}},
	} {
		found, err := store.Prunable(t.Context(), c.keep)
		require.NoError(t, err, name)
		require.ElementsMatch(t, c.want, found, name)
	}
	runs, err := store.Runs(t.Context(), flow.Filter{})
	require.NoError(t, err)
	require.Len(t, runs, 4)

	all := flow.Retention{Before: now.Add(time.Hour)}
	found, err := store.Prunable(t.Context(), all)
	require.NoError(t, err)
	deleted, err := store.Prune(t.Context(), all)
	require.NoError(t, err)
	require.ElementsMatch(t, found, deleted)
	found, err = store.Prunable(t.Context(), all)
	require.NoError(t, err)
	require.Empty(t, found)
}
