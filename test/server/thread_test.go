package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// A follow-up is understood with what was said before it: the model sees the first question and its answer as data, and those of
// a conversation that is too long are left out from the oldest on.
func TestServer_FollowUpCarriesTheConversation(t *testing.T) {
	t.Parallel()
	const where = "and in which file?"
	d := start(t, setting{script: `
- {match: {node: answer, contains: ["` + where + `", "who adds numbers?", "Add does."]}, times: 2, reply: {text: It is in sum.go.}}
- {match: {node: orchestrator, contains: ["now write Sub", "who adds numbers?"]}, times: 2, reply: {text: well}}`})
	require.NoError(t, d.engine.Trust(d.root))
	oldest := api.Turn{Asked: "the oldest question", Answered: strings.Repeat("a long answer\n", 500)}
	earlier := []api.Turn{oldest, oldest, oldest, oldest, {Asked: "who adds numbers?", Answered: "Add does."}}

	var result api.RunResult
	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: where, Earlier: earlier[4:], Wait: true}, &result))
	require.Equal(t, "It is in sum.go.\n", result.Answer)
	sent := d.prompt(0)
	before, thread, found := strings.Cut(sent, "Earlier in this conversation")
	require.True(t, found, "the conversation is shown")
	require.NotContains(t, before, "who adds numbers?")
	require.Regexp(t, `(?s)<data-\w+>\nThe user: who adds numbers\?\nThe answer: Add does\.\n</data-`, thread, "as data")

	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: where, Earlier: earlier, Wait: true}, &result))
	require.Equal(t, 3, strings.Count(d.prompt(1), "the oldest question"), "four do not fit")

	_, err := d.run(api.RunArgs{Task: "now write Sub", Approve: "edits", Earlier: earlier[4:]})
	require.NoError(t, err)
	require.NoError(t, d.script.Verify())
}

// prompt is the text of a request to the model.
func (d *harness) prompt(number int) string {
	var text strings.Builder
	for _, m := range d.script.Requests()[number].Messages {
		text.WriteString(m.Text + "\n")
	}
	return text.String()
}

// A conversation that one process has held is continued by another: the server gives the model the turns that it has on disk.
func TestServer_ContinuesAStoredConversation(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: `
- {match: {node: answer, contains: ["who adds numbers?"]}, reply: {text: Add does.}}
- {match: {node: answer, contains: ["and in which file?", "The user: who adds numbers?", "The answer: Add does."]}, reply: {text: It is in sum.go.}}`})
	require.NoError(t, d.engine.Trust(d.root))
	var first, second api.RunResult
	require.ErrorContains(t, d.execute(api.AskQuestion, api.AskArgs{Question: "and?", Thread: "latest", Wait: true}, &first), "none was held")
	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "who adds numbers?", Wait: true}, &first))
	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "and in which file?", Thread: first.RunID, Wait: true}, &second))
	require.NoError(t, d.script.Verify())

	var listed api.ConversationsResult
	require.NoError(t, d.execute(api.Conversations, api.ConversationsArgs{ID: "latest"}, &listed))
	require.Len(t, listed.Conversations, 1)
	require.Equal(t, first.RunID, listed.Conversations[0].ID)
	require.Equal(t, []string{"Add does.", "It is in sum.go."}, []string{listed.Turns[0].Answered, listed.Turns[1].Answered})
}

// What another front adds to a conversation of the folder reaches clients that take events; what the session itself added does not.
func TestServer_TurnsOfOtherFrontsAreSent(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: rich, script: `
- {match: {node: answer, contains: ["who adds numbers?"]}, reply: {text: Add does.}}`})
	require.NoError(t, d.engine.Trust(d.root))
	var first api.RunResult
	require.NoError(t, d.execute(api.AskQuestion, api.AskArgs{Question: "who adds numbers?", Wait: true}, &first))
	other := start(t, setting{after: d, params: rich, script: `
- {match: {node: answer, contains: ["and in which file?", "The answer: Add does."]}, reply: {text: It is in sum.go.}}`})
	var second api.RunResult
	require.NoError(t, other.execute(api.AskQuestion, api.AskArgs{Question: "and in which file?", Thread: first.RunID, Wait: true}, &second))

	var heard api.ConversationChanged
	require.NoError(t, json.Unmarshal(d.Expect(api.ConversationMethod, nil), &heard))
	require.Equal(t, first.RunID, heard.ID, "its own turn was not sent")
	require.Equal(t, string(d.uri("")), heard.Folder)
	require.Equal(t, second.RunID, heard.Turn.RunID)
	require.Equal(t, "and in which file?", heard.Turn.Asked)
	require.Equal(t, "It is in sum.go.", heard.Turn.Answered)
}
