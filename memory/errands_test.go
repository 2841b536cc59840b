package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func question(id, run string) Errand {
	return Errand{
		ID: id, TaskID: "task_0123456789ab", Agent: "explorer", Task: "Why?", Context: "Files\nMap", Rounds: 3, ReplyTokens: 4096,
		Source: Source{Origin: Model, Run: run, Node: "delegate-1/subagent"},
	}
}

// An errand is kept from its beginning; a resumed run begins it again without another row.
func TestErrands_AreKeptFromBeginningToEnd(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	const id = "sub_0123456789ab"
	require.NoError(t, p.BeginErrand(ctx, question(id, "r1")))
	require.NoError(t, p.BeginErrand(ctx, question("sub_ba9876543210", "r2")))
	require.NoError(t, p.EndErrand(ctx, Errand{ID: id, Status: ErrandFailed, Failure: "nobody knows", Tokens: 7}))
	require.NoError(t, p.BeginErrand(ctx, question(id, "r1")), "the run is resumed")
	want := question(id, "r1")
	want.Status = ErrandRunning
	got, err := p.Errands(ctx, "r1")
	require.NoError(t, err)
	require.Len(t, got, 1)
	want.Began = got[0].Began
	want.Tokens = 7
	require.Equal(t, want, got[0])
	require.NoError(t, p.EndErrand(ctx, Errand{ID: id, Status: ErrandDone, Summary: "because", Tokens: 9}))
	got, err = p.Errands(ctx, "")
	require.NoError(t, err)
	require.Len(t, got, 2, "of all runs")
	got, err = p.Errands(ctx, "r1")
	require.NoError(t, err)
	require.Equal(t, []any{ErrandDone, "because", "", 9}, []any{got[0].Status, got[0].Summary, got[0].Failure, got[0].Tokens})
	require.False(t, got[0].Ended.Before(got[0].Began))
}

func TestErrands_InvalidOnesAreRejected(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	for _, broken := range []func(*Errand){
		func(e *Errand) { e.ID = "sub_1" }, func(e *Errand) { e.Agent = "" }, func(e *Errand) { e.Source.Run = "" }, func(e *Errand) { e.Source.Node = "" }, func(e *Errand) { e.Source.Origin = "x" },
	} {
		e := question("sub_0123456789ab", "r1")
		broken(&e)
		require.ErrorIs(t, p.BeginErrand(t.Context(), e), ErrInvalid)
	}
	require.ErrorIs(t, p.EndErrand(t.Context(), Errand{ID: "sub_0123456789ab", Status: ErrandRunning}), ErrInvalid)
	require.ErrorIs(t, p.EndErrand(t.Context(), Errand{ID: "sub_0123456789ab", Status: ErrandDone}), ErrNotFound)
}

func TestGC_KeepsErrandsForNinetyDays(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	require.NoError(t, p.BeginErrand(t.Context(), question("sub_0123456789ab", "r1")))
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(90*day-time.Hour)))
	require.Equal(t, Collected{Errands: 1}, collect(t, p, c.now().Add(90*day)))
}
