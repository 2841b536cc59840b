package lsp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
)

// untilCancelled is a script that works until it is cancelled.
func untilCancelled(ctx context.Context, _ *scriptedRun) execution.Result {
	<-ctx.Done()
	return execution.Result{State: event.Cancelled, Reason: "cancelled"}
}

func TestRun_IsAcknowledgedWhileItWorks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "add Sub"}, &r))
		require.Equal(t, "running", r.State)
		require.Equal(t, "r1", r.RunID)
		require.Equal(t, string(d.uri("")), r.Folder)

		var state api.StateResult
		require.NoError(t, d.execute(api.Cancel, api.RunRef{RunID: "r1"}, &state))
		require.Equal(t, "cancelled", state.State)
		require.NoError(t, d.execute(api.Cancel, nil, &state), "cancel is idempotent, and without arguments means the last run")
		require.Equal(t, "cancelled", state.State)
	})
}

func TestRun_IsIdempotentByClientRunID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled})
		var a, b, c api.RunResult
		first := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "x", ClientRunID: "mine"}))
		second := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "x", ClientRunID: "mine"}))
		require.NoError(t, d.Await(first, &a))
		require.NoError(t, d.Await(second, &b))
		require.Equal(t, a, b)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", ClientRunID: "other"}, &c))
		require.NotEqual(t, a.RunID, c.RunID)
		require.Len(t, d.engine.started(), 2)
	})
}

// A run that could not be started does not block its id for ever.
func TestRun_ThatDidNotStartCanBeTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled})
		require.Error(t, d.execute(api.Run, api.RunArgs{ClientRunID: "mine"}, nil))
		require.NoError(t, d.execute(api.Run, api.RunArgs{ClientRunID: "mine", Task: "x"}, nil))
	})
}

func TestRun_WaitsWhenAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: func(context.Context, *scriptedRun) execution.Result {
			return execution.Result{State: event.Blocked, Reason: "the tests stay red"}
		}})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
		require.Equal(t, "blocked", r.State)
		require.Equal(t, "the tests stay red", r.Reason)
	})
}

func TestRun_CancelledWaitCancelsTheRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled}, rich)
		id := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "x", Wait: true}))
		synctest.Wait()
		d.Cancel(id)
		var wire *jsonrpc2.Error
		require.ErrorAs(t, d.Await(id, nil), &wire)
		require.EqualValues(t, -32800, wire.Code)
		synctest.Wait()
		var runs api.RunsResult
		require.NoError(t, d.execute(api.Runs, nil, &runs))
		require.Equal(t, "cancelled", runs.Runs[0].State)
	})
}

// The end of the session ends its runs; the progress of each is ended first.
func TestRun_ShutdownCancelsRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		e := &fakeEngine{script: untilCancelled}
		d := start(t, nil, e)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		synctest.Wait()
		require.Equal(t, 0, d.Shutdown())
		e.running.Wait()
		d.Expect(protocol.MethodProgress, func(params []byte) bool { return strings.Contains(string(params), `"kind":"end"`) })
		require.Equal(t, []string{"begin"}, progressKinds(t, d), "one end")
	})
}

func TestRun_BadCommandsAreInvalidParams(t *testing.T) {
	for name, tc := range map[string]struct {
		command string
		args    string
		want    []string
	}{
		"unknown command": {"forge.dance", `{}`, []string{"forge.dance", "forge.run", "forge.doctor"}},
		"wrong enum":      {"forge.run", `{"recipe":"dance"}`, []string{"recipe", "implement, fix, tdd, refactor, test, document"}},
		"wrong type":      {"forge.run", `{"task":1}`, []string{"task", "string"}},
		"no task":         {"forge.run", `{}`, []string{"Describe the task", "// forge:"}},
		"unknown run":     {"forge.cancel", `{"runId":"r9"}`, []string{"no run in this session yet"}},
		"no proposal":     {"forge.proposal.apply", `{}`, []string{"no proposal yet", "Start a run"}},
		"missing field":   {"forge.answer", `{"runId":"r1"}`, []string{"askId", "required"}},
		"foreign folder":  {"forge.run", `{"task":"x","folder":"file:///elsewhere"}`, []string{"folder", "not open"}},
		"foreign scope":   {"forge.run", `{"task":"x","scope":{"uri":"file:///elsewhere/a.go"}}`, []string{"/elsewhere/a.go is in no open folder"}},
		"untitled scope":  {"forge.run", `{"task":"x","scope":{"uri":"untitled:1"}}`, []string{"is not a file. Save it"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: untilCancelled})
				err := d.execute(tc.command, protocol.LSPAny(tc.args), nil)
				var wire *jsonrpc2.Error
				require.ErrorAs(t, err, &wire)
				require.Equal(t, jsonrpc2.InvalidParams, wire.Code)
				for _, want := range tc.want {
					require.Contains(t, wire.Message, want)
				}
				require.Empty(t, d.engine.started())
				require.NoError(t, d.execute(api.Status, nil, nil), "the server goes on")
			})
		})
	}
}

func TestRun_ReportsAServerWithoutAnEngine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithout(t)
		require.ErrorContains(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil), "without an engine")
		require.ErrorContains(t, d.execute(api.Undo, nil, nil), "without an engine")
		require.NoError(t, d.execute(api.Doctor, nil, nil))
	})
}
