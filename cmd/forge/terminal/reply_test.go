package terminal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

func TestAffirming_NamesTheCommandForQuestionsOfYesAndNo(t *testing.T) {
	t.Parallel()
	lost := event.Question{
		RunID: "r-1", Kind: event.AskUnblock, Choices: []event.Choice{{ID: "reject", Title: "No, they must continue to pass"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
		Default: "reject", FreeText: "what the change should do instead",
	}
	require.Equal(t, ". To say yes once the run has ended: forge resume r-1 --answer yes", affirming(lost))
	require.Empty(t, affirming(event.Question{Kind: event.AskClarification, Default: "1", FreeText: "an answer"}))
}
