package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

const (
	delegateIt = `
- {match: {node: orchestrator, attempt: 1}, reply: {json: {action: delegate, task: "Does b exist?", reason: it depends on b}}}`
	decideThen = `
- {match: {node: orchestrator, attempt: 2, contains: ["Found out: Does b exist?", a says one]}, reply: {json: {action: executor, reason: small}}}`
	lookedAndFound = `
- {match: {node: subagent, contains: ["Does b exist?"]}, reply: {json: {action: look, requests: [{provider: read_file, args: {path: a}, why: it may name b}], result: ""}}}
- {match: {node: subagent, contains: ["read_file {\"path\":\"a\"}"]}, reply: {json: {action: done, requests: [], result: "There is no b; a says one."}}}`
)

// A node of its own answers the orchestrator's question, and later nodes see the answer.
func TestSubagent_ResultIsShownToTheOrchestrator(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, delegateIt+lookedAndFound+decideThen+writeTests+writeRight+reviewPass)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "DONE", e.status("delegate-1/subagent"))
	told := events[event.ErrandReported](e)
	require.Equal(t, []event.ErrandState{event.ErrandRunning, event.ErrandDone}, []event.ErrandState{told[0].State, told[1].State})
	require.Regexp(t, `^sub_[0-9a-f]{12}$`, told[0].ID)
	require.Equal(t, told[0].ID, told[1].ID)
	require.Contains(t, e.prompts("executor")[0], "There is no b; a says one.")
	require.Equal(t, result, e.again(t), "played again it is the same")
}

func TestSubagent_UselessAnswerIsAResult(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ says, told string }{
		"it cannot find it out": {`reply: {json: {action: error, requests: [], result: nobody knows}}`, "nobody knows"},
		"an unreadable answer":  {`reply: {text: It is so.}, times: 2`, "the model gave no usable errand"},
		"it looks for ever":     {`reply: {json: {action: look, requests: [{provider: read_file, args: {path: a}, why: w}], result: ""}}, times: 3`, "it was not found out in 2 rounds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, delegateIt+`
- {match: {node: subagent}, `+test.says+`}
- {match: {node: orchestrator, attempt: 2, contains: ["Not found out: Does b exist?"]}, reply: {json: {action: executor, reason: small}}}`+writeTests+writeRight+reviewPass)
			e.env.Rounds = 2
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Contains(t, e.prompts("orchestrator")[1], test.told)
			require.Equal(t, "FAILED", e.status("delegate-1/subagent"))
			require.Equal(t, event.ErrandFailed, events[event.ErrandReported](e)[1].State)
			require.Equal(t, result, e.again(t), "played again it is the same")
			require.NoError(t, e.script.Verify())
		})
	}
}

// An orchestrator that never decides is made to.
func TestSubagent_DelegationsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, `
- {match: {node: orchestrator}, reply: {json: {action: delegate, task: "And why?", reason: more}}, times: 5}
- {match: {node: subagent}, reply: {json: {action: done, requests: [], result: because}}, times: 3}`)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "3 questions were answered for you, and no more will be")
	require.NoError(t, e.script.Verify())
	require.Empty(t, e.status("spec"))
}
