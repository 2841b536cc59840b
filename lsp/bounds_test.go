package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/engine/mode"
)

// The engine receives the client's limits of a run, its domain and the tools that do its work.
func TestRun_PassesBoundsToEngine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)})
		require.NoError(t, d.execute(api.Run, api.RunArgs{
			Domain: "documentation", Bounds: &api.Bounds{Attempts: 2, MaxHops: 7, Tasks: 1, Writers: 1, NoExplore: true},
			Direct: []api.Direct{{Tool: "delete_file", Args: map[string]any{"path": "a.go"}}},
		}, nil))
		got := d.engine.started()[0]
		require.Equal(t, mode.Bounds{Attempts: 2, Hops: 7, Tasks: 1, Writers: 1, Rounds: mode.Never}, got.Bounds)
		require.Equal(t, "documentation", got.Domain)
		require.Equal(t, "delete_file", got.Direct[0].Tool)
		require.JSONEq(t, `{"path":"a.go"}`, string(got.Direct[0].Args))
		require.Empty(t, got.Task, "the tools say what is to be done")

		for field, wrong := range map[string]api.RunArgs{
			"bounds.attempts: 99 is out of range: give 1 to 20":       {Task: "x", Bounds: &api.Bounds{Attempts: 99}},
			"bounds.exploreRounds: 51 is out of range: give 0 to 50":  {Task: "x", Bounds: &api.Bounds{Rounds: 51}},
			"bounds.exploreRounds: cannot be combined with noExplore": {Task: "x", Bounds: &api.Bounds{Rounds: 2, NoExplore: true}},
			"bounds.fanoutDepth: needs plan":                          {Task: "x", Bounds: &api.Bounds{Fanout: 2}},
			"bounds.sanityEvery: needs plan":                          {Task: "x", Bounds: &api.Bounds{Sanity: 2}},
			"inline: needs plan":                                      {Task: "x", Inline: true},
			"plan: a run that only answers has no plan":               {Task: "x", Recipe: "explain", Lite: true},
			"profile: a run that only answers writes no change":       {Task: "x", Recipe: "review", Profile: "tdd"},
			`domain: "poetry" is not allowed; want one of code_gener`: {Task: "x", Domain: "poetry"},
		} {
			require.ErrorContains(t, d.execute(api.Run, wrong, nil), field)
		}
		require.Len(t, d.engine.started(), 1)

		whole := api.RunArgs{Task: "x", Plan: true, Inline: true, Profile: "tdd", Bounds: &api.Bounds{Fanout: 2, Sanity: 2, Rounds: 2}}
		require.NoError(t, d.execute(api.Run, whole, nil))
		got = d.engine.started()[1]
		require.Equal(t, mode.Bounds{Fanout: 2, Sanity: 2, Rounds: 2}, got.Bounds)
		require.True(t, got.Plan.Inline)
	})
}
