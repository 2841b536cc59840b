package lsp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/llm"
	"forge/engine/spend"
)

// fakeSpending is what a fake engine has spent.
type fakeSpending struct {
	rows  []spend.Row
	asked *spend.Query
}

func (s fakeSpending) Cost(_ context.Context, q spend.Query) ([]spend.Row, error) {
	*s.asked = q
	return s.rows, nil
}

func (fakeSpending) ClearCache(context.Context) (int, error) { return 3, nil }

// paying is a script that reports its spending.
func paying(ctx context.Context, r *scriptedRun) execution.Result {
	r.Log.Append(event.ModelCalled{Input: 400, Output: 20})
	r.Log.Append(event.Spent{Tokens: 18_400, Usage: llm.Usage{CacheRead: 12_000}, Cost: llm.Cost{MicroUSD: 66_000}})
	r.Log.Append(event.GateStarted{Gate: "go build", Index: 1, Of: 4})
	<-ctx.Done()
	r.Log.Append(event.Spent{Tokens: 19_400, Cost: llm.Cost{MicroUSD: 70_000, Unpriced: true}})
	return execution.Result{State: event.Cancelled}
}

// The progress of a run shows its use and costs while it continues, and so does forge.status.
func TestCosts_AreInProgressAndStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: paying})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		pause(1000)
		synctest.Wait()
		require.Equal(t, "gate 1/4 go build · 18.4k tok (12.0k cached) · $0.07", lastProgress(t, d).Message)
		var status api.StatusResult
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Len(t, status.Runs, 1)
		require.Equal(t, 18_400, status.Runs[0].Tokens)
		require.Equal(t, 12_000, status.Runs[0].CachedTokens)
		require.Equal(t, &api.Cost{USD: 0.066, Text: "$0.07"}, status.Runs[0].Cost)

		require.NoError(t, d.execute(api.Cancel, api.RunRef{RunID: r.RunID}, nil))
		pause(1000)
		synctest.Wait()
		require.Equal(t, "cancelled · 19.4k tok · $0.07 + unknown price", lastProgress(t, d).Message)
	})
}

func TestCosts_OverTheWire(t *testing.T) {
	t.Parallel()
	var asked spend.Query
	e := &fakeEngine{}
	e.costs = fakeSpending{asked: &asked, rows: []spend.Row{
		{Name: "openai/gpt-4o", Attempts: 2, Tokens: 30, Usage: llm.Usage{Input: 20, CacheRead: 10}, Cost: llm.Cost{MicroUSD: 1_500_000}},
		{Name: "x/y", Attempts: 1, Tokens: 5, Held: 5, Cost: llm.Cost{Unpriced: true}},
	}}
	d := start(t, nil, e)
	var costs api.CostResult
	require.NoError(t, d.execute(api.ShowCost, api.CostArgs{RunID: "r-1", Since: "7d", By: "node"}, &costs))
	require.Equal(t, "r-1", asked.Run)
	require.Equal(t, spend.ByNode, asked.By)
	require.InDelta(t, 7*24, time.Since(asked.Since).Hours(), 1)
	require.Len(t, costs.Rows, 2)
	require.Equal(t, api.Cost{USD: 1.5, UnknownPrice: true, Text: "$1.50 + unknown price"}, costs.Total.Cost)
	require.EqualValues(t, 35, costs.Total.Tokens)
	require.EqualValues(t, 5, costs.Total.HeldTokens)
	require.Equal(t, 10, costs.Total.CacheReadTokens)
	for _, since := range []string{"yesterday", "-3h", "0s", "xd", "99999999d"} {
		require.ErrorContains(t, d.execute(api.ShowCost, api.CostArgs{Since: since}, nil), "since", since)
	}
	var cleared api.CacheCleared
	require.NoError(t, d.execute(api.ClearCache, nil, &cleared))
	require.Equal(t, 3, cleared.Answers)
}

// A million is a million, not a thousand thousands.
func TestCosts_NameMillionsOfTokens(t *testing.T) {
	for spent, says := range map[int64]string{999_949: "999.9k tok", 999_950: "1.0M tok", 1_000_000: "1.0M tok", 12_345_678: "12.3M tok"} {
		bubble(t, func(t *testing.T) {
			d := start(t, nil, &fakeEngine{script: func(_ context.Context, r *scriptedRun) execution.Result {
				r.Log.Append(event.Spent{Tokens: spent})
				return execution.Result{State: event.Succeeded}
			}})
			require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
			synctest.Wait()
			require.Contains(t, lastProgress(t, d).Message, " · "+says+" · ")
		})
	}
}
