package acp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Later prompts of a session carry what was said before them, as data. Other sessions do not see it.
func TestSession_LaterPromptsCarryEarlierTurns(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: `
- {match: {node: explore}, reply: {json: {done: true, files: [], actions: []}}, times: -1}
- {match: {node: answer, contains: ["how many notes?"]}, reply: {text: There is one note.}}
- {match: {node: answer, contains: ["and in which file?", "The answer: There is one note."]}, reply: {text: In notes.md.}}
- {match: {node: answer, contains: ["something else"]}, reply: {text: Nothing.}}`})
	d.say("/ask how many notes?")
	d.say("/ask and in which file?")
	require.Contains(t, d.text(), "In notes.md.")
	var sent []string
	for _, r := range d.script.Requests() {
		if r.Node == "answer" {
			sent = append(sent, r.Messages[len(r.Messages)-1].Text)
		}
	}
	require.NotContains(t, sent[0], "Earlier in this conversation")
	require.Regexp(t, `(?s)Earlier in this conversation.*<data-\w+>\nThe user: how many notes\?\nThe answer: There is one note\.\n</data-`, strings.Join(sent[1:], ""))

	c, err := d.engine.Conversation(t.Context(), d.root, string(d.opened.SessionId))
	require.NoError(t, err)
	require.Len(t, c.Turns, 2)

	d.hangUp()
	other := start(t, setting{after: d, script: `
- {match: {node: explore}, reply: {json: {done: true, files: [], actions: []}}, times: -1}
- {match: {node: answer, contains: ["something else"]}, reply: {text: Nothing.}}`})
	other.say("/ask something else")
	for _, r := range other.script.Requests() {
		for _, m := range r.Messages {
			require.NotContains(t, m.Text, "how many notes?")
		}
	}
}
