package lsp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/graph"
)

// talking is a script in which the model sends ten kilobytes within a second, and restarts its answer in the middle.
func talking(_ context.Context, r *scriptedRun) execution.Result {
	call := event.Call{Node: "executor", Attempt: 1}
	r.Log.Append(event.GraphBuilt{Nodes: []graph.Node{{ID: "executor"}}, Attempts: 3})
	r.Log.Append(event.NodeChanged{Node: graph.Node{ID: "executor", Status: graph.Running, Attempt: 1}})
	r.Speech.Say(call, "void")
	pause(250)
	r.Speech.Say(call, "")
	for range 100 {
		r.Speech.Say(call, strings.Repeat("é", 50))
		pause(10)
	}
	pause(250)
	r.Speech.Fall(call)
	return execution.Result{State: event.Blocked, Reason: "red"}
}

func deltas(t *testing.T, d *harness) []api.Delta {
	t.Helper()
	var all []api.Delta
	for _, m := range d.Messages() {
		if m.Method == api.DeltaMethod {
			all = append(all, *decodeParams[api.Delta](t, m.Params))
		}
	}
	return all
}

func TestLiveText_ShowsTheModelsText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: talking}, rich)
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
		synctest.Wait()
		all := deltas(t, d)
		require.Empty(t, cmp.Diff(api.Delta{RunID: r.RunID, Node: "executor", Attempt: 1, Text: "void"}, all[0]))
		said := ""
		for _, delta := range all[1:] {
			require.Equal(t, len(said), delta.At, "the second one restarts")
			said += delta.Text
		}
		require.Equal(t, strings.Repeat("é", 5000), said)
		require.LessOrEqual(t, len(all), 1+12+2, "ten a second")

		var messages []string
		for _, report := range allProgress(t, d) {
			messages = append(messages, report.Message)
		}
		require.Contains(t, messages, "executor · 10.0 kB")
	})
}

func TestLiveText_SendsNoDeltaWithoutTheCapability(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: talking})
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		synctest.Wait()
		require.Empty(t, deltas(t, d))
		messages := ""
		for _, report := range allProgress(t, d) {
			messages += report.Message + "\n"
		}
		require.Contains(t, messages, " kB", "the twin: the size is reported")
	})
}
