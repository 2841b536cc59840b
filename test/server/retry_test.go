package server

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine"
	"forge/engine/execution"
)

// The mark of a fence is another one in each request.
var fenceMark = regexp.MustCompile(`data-\w+`)

// sent is what the model was sent from a request on, with the nodes that sent it.
func (d *harness) sent(from int) (all []string) {
	for i, r := range d.script.Requests()[from:] {
		all = append(all, r.Node+"\n"+fenceMark.ReplaceAllString(d.prompt(from+i), "data"))
	}
	return all
}

// started says how a run began, except for its model, which may not be known by then.
func (d *harness) started(id string) map[string]any {
	d.t.Helper()
	for _, event := range ask[api.EventsResult](d, api.Events, api.EventsArgs{RunID: id}).Events {
		if event.Type == "run.started" {
			data, is := event.Data.(map[string]any)
			require.True(d.t, is)
			delete(data, "model")
			return data
		}
	}
	require.Fail(d.t, "no run.started", id)
	return nil
}

// A retry of a failed run is asked for as the run was: with its plan, recipe, mode and scope, so that the model is sent the same requests;
// also in a later session.
func TestRetry_RepeatsTheRequest(t *testing.T) {
	t.Parallel()
	const script = `
- {match: {node: orchestrator}, times: 2, reply: {json: {action: executor, reason: small}}}
- {match: {node: planner, contains: ["func Add"]}, times: 9, reply: {text: "There is no plan."}}
- {match: {node: executor}, times: 9, reply: {text: "There is no change."}}`
	d := start(t, setting{script: script})
	require.NoError(t, d.engine.Trust(d.root))
	lines := &api.Range{Start: api.Position{Line: 2}, End: api.Position{Line: 3}}
	failed, err := d.run(api.RunArgs{
		Task: "make it generic", Recipe: "refactor", Mode: "heavy", Plan: true, Scope: &api.Scope{URI: string(d.uri("sum.go")), Range: lines},
	})
	require.NoError(t, err)
	require.NotEqual(t, "succeeded", failed.State)
	want := d.sent(0)
	require.NotEmpty(t, want)

	for name, d := range map[string]*harness{"same session": d, "later session": start(t, setting{after: d, script: script})} {
		before := len(d.script.Requests())
		again := ask[api.RunResult](d, api.Retry, api.RetryArgs{RunID: failed.RunID, Wait: true})
		require.NotEqual(t, failed.RunID, again.RunID, name)
		require.Equal(t, failed.State, again.State, name)
		require.Equal(t, want, d.sent(before), name)
		require.Equal(t, d.started(failed.RunID), d.started(again.RunID), name)
	}
}

// A retry of a question that continued a conversation has its turns and its place in the code; without an id it is the last run that is repeated.
func TestRetry_KeepsTheConversation(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: `
- {match: {node: answer, contains: ["and in which file?", "who adds numbers?", "func Add"]}, times: 2, reply: {text: It is in sum.go.}}`})
	require.NoError(t, d.engine.Trust(d.root))
	question := api.AskArgs{
		Question: "and in which file?", Earlier: []api.Turn{{Asked: "who adds numbers?", Answered: "Add does."}},
		Scope: &api.Scope{URI: string(d.uri("sum.go"))}, Wait: true,
	}
	first := ask[api.RunResult](d, api.AskQuestion, question)
	again := ask[api.RunResult](d, api.Retry, api.RetryArgs{Wait: true})
	require.NotEqual(t, first.RunID, again.RunID)
	require.Equal(t, first.Answer, again.Answer)
	require.Equal(t, d.sent(0)[0], d.sent(1)[0])
	require.NoError(t, d.script.Verify())
}

// A limit that the request named is repeated; one of the settings is that of the settings now, which the user may have raised.
func TestRetry_TakesTheSettingsOfNow(t *testing.T) {
	t.Parallel()
	limited := func(s setting, tokens int) *harness {
		s.settings = engine.Settings{Limits: execution.Limits{Tokens: tokens}}
		d := start(t, s)
		require.NoError(t, d.engine.Trust(d.root))
		return d
	}
	d := limited(setting{}, 10)
	byUser := ask[api.RunResult](d, api.AskQuestion, api.AskArgs{Question: "who adds?", Wait: true, Limits: &api.Limits{Tokens: 20}})
	bySettings := ask[api.RunResult](d, api.AskQuestion, api.AskArgs{Question: "who adds?", Wait: true})
	for _, run := range []api.RunResult{byUser, bySettings} {
		require.Equal(t, "limit", string(run.Remedy), run.Reason)
	}

	raised := limited(setting{after: d, script: `
- {match: {node: answer}, reply: {text: Add does.}}`}, 100_000)
	refused := ask[api.RunResult](raised, api.Retry, api.RetryArgs{RunID: byUser.RunID, Wait: true})
	require.Equal(t, "limit", string(refused.Remedy), refused.Reason)
	answered := ask[api.RunResult](raised, api.Retry, api.RetryArgs{RunID: bySettings.RunID, Wait: true})
	require.Equal(t, "succeeded", answered.State, answered.Reason)
}

// A retry of a run that is not there, or whose lines are gone, says so and starts nothing.
func TestRetry_SaysWhatCannotBeRepeated(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: `
- {match: {node: answer}, reply: {text: It adds.}}`})
	require.ErrorContains(t, d.execute(api.Retry, api.RetryArgs{}, nil), "no run in this session")
	require.ErrorContains(t, d.execute(api.Retry, api.RetryArgs{RunID: "r-none"}, nil), "no such run")
	last := &api.Range{Start: api.Position{Line: 3}, End: api.Position{Line: 3, Character: 5}}
	asked := ask[api.RunResult](d, api.AskQuestion, api.AskArgs{Question: "what is it?", Scope: &api.Scope{URI: string(d.uri("sum.go")), Range: last}, Wait: true})
	d.Open(d.uri("sum.go"), "go", "package sum\n")
	require.ErrorContains(t, d.execute(api.Retry, api.RetryArgs{RunID: asked.RunID}, nil), "Select lines that it has")
	require.Len(t, d.script.Requests(), 1)
}
