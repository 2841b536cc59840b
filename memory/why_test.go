package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oneOfEach makes a row of each kind, and gives their ids.
func oneOfEach(t testing.TB, p *Project) map[kind]ID {
	t.Helper()
	ctx := t.Context()
	ids := map[kind]ID{kindEntry: write(t, p.Store, Entry{Tier: Long, Agent: "executor", Key: "k", Value: JSON("v"), Source: byModel}).ID}
	pattern, err := p.Learn(ctx, Pattern{Category: Convention, Text: "p", Source: byModel}, failed(t, "r1"))
	require.NoError(t, err)
	playbook, err := p.SavePlaybook(ctx, Playbook{Title: "t", Content: "c", Source: byModel})
	require.NoError(t, err)
	_, err = p.RecordAttempt(ctx, Attempt{Run: "r1", Node: "executor", Attempt: 1, Total: 1, Source: byModel})
	require.NoError(t, err)
	task, err := p.CreateTask(ctx, "t", "", byModel)
	require.NoError(t, err)
	ids[kindPattern], ids[kindPlaybook], ids[kindSpec] = pattern.ID, playbook.ID, saveSpec(t, p, "s").ID
	ids[kindIteration], ids[kindTask] = "iteration-1", task.ID
	return ids
}

// TestWhy_AndForget: of each kind of row it can be said where it comes from, and all but versions can be forgotten.
func TestWhy_AndForget(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	ids := oneOfEach(t, p)
	require.Len(t, ids, len(described), "a kind of rows without a test")
	for k, id := range ids {
		why, err := p.Why(ctx, id)
		require.NoError(t, err, k)
		require.Equal(t, Source{Origin: Model, Run: "r1", Node: "executor", Event: 7}, why.Source, k)
		require.Equal(t, noon, why.Created, k)
		require.NotEmpty(t, why.What)
		require.Equal(t, k == kindPattern, len(why.Evidence) == 1, k)
		if k == kindSpec {
			require.ErrorIs(t, p.Forget(ctx, id), ErrInvalid)
			continue
		}
		require.NoError(t, p.Forget(ctx, id), k)
		require.ErrorIs(t, p.Forget(ctx, id), ErrNotFound, k)
		_, err = p.Why(ctx, id)
		require.ErrorIs(t, err, ErrNotFound, k)
	}
	for _, id := range []ID{"", "entry", "entry-", "entry-0", "entry--1", "entry-01", "entry-+1", "entry-1x", "task_0123456789AB", "task_0123", "sub_0123456789ab", "interaction-1", "rumour-1", "entry-99999999999999999999"} {
		_, err := p.Why(ctx, id)
		require.ErrorIs(t, err, ErrInvalid, id)
		require.ErrorIs(t, p.Forget(ctx, id), ErrInvalid, id)
	}
	_, err := p.Judge(ctx, "entry-1", passed(t, "r1"))
	require.ErrorIs(t, err, ErrInvalid)
}

func TestWhy_EvidenceNamesItsGate(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ids := oneOfEach(t, p)
	c.add(time.Hour)
	_, err := p.Judge(t.Context(), ids[kindPattern], passed(t, "r2"))
	require.NoError(t, err)
	why, err := p.Why(t.Context(), ids[kindPattern])
	require.NoError(t, err)
	require.Equal(t, []Evidence{
		{"fail", GateReport{Run: "r1", Node: "executor", Attempt: 1, Gate: "go test", Executed: 1, Summary: "1 of 3 tests failed"}, noon},
		{"pass", GateReport{Run: "r2", Node: "executor", Attempt: 1, Gate: "go test", Executed: 1, Summary: "3 tests passed"}, noon.Add(time.Hour)},
	}, why.Evidence)
	require.Equal(t, "model, run r1, executor, event 7", why.Source.String())
	require.Equal(t, "user: typed", byUser.String())
}
