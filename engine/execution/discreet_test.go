package execution

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

// noting is the user who writes down what they are asked, and answers with a secret.
type noting struct {
	asked *event.Question
	text  string
}

func (n noting) Ask(_ context.Context, q event.Question) (event.Answer, error) {
	*n.asked = q
	return event.Answer{Choice: q.Choices[0].ID, Text: n.text}, nil
}

func TestDiscreet_QuestionsHaveNoSecret(t *testing.T) {
	t.Parallel()
	const key = "ghp_Zb4kQ9xW2mT7vR1nY6cL8pD3sF5gH0jKqEuA"
	question := func(text string) event.Question {
		return event.Question{Title: "Keep " + text + "?", Detail: "of " + text, Choices: []event.Choice{{ID: "a", Title: "with " + text}}}
	}
	given := question(key)
	var asked event.Question
	answer, err := discreet{noting{&asked, "take " + key}, newHost(t)}.Ask(t.Context(), given)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(question("[redacted: github-pat]"), asked))
	require.Equal(t, event.Answer{Choice: "a", Text: "take [redacted: github-pat]"}, answer)
	require.Empty(t, cmp.Diff(question(key), given), "the caller keeps the question")
}
