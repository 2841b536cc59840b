package acp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

// The user may write "yes" for one question, and the resumed run may ask another one first: it gets no consent that was not written for it.
func TestAsk_AYesIsForItsQuestion(t *testing.T) {
	t.Parallel()
	of := func(id string) event.Question {
		return event.Question{
			ID: id, Default: "reject", FreeText: "what to do instead",
			Choices: []event.Choice{{ID: "reject", Title: "No, keep them"}, {ID: "approve", Title: "Yes, change them"}},
		}
	}
	choices := of("q-3")
	choices.FreeText = ""

	turn := &turn{reply: "yes", answers: "q-1"}
	require.Empty(t, turn.takeReply(of("q-2")), "it was written for another question")
	require.Equal(t, "yes", turn.takeReply(of("q-1")))
	require.Empty(t, turn.takeReply(of("q-1")), "it is taken once")

	turn.reply = "keep the old ones, too"
	require.Empty(t, turn.takeReply(choices), "this question accepts no words")
	require.Equal(t, "keep the old ones, too", turn.takeReply(of("q-2")), "words are a wish, and no consent")
}
