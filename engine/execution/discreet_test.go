package execution

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/ask"
)

// noting is the user who writes down what they are asked, and answers with a secret.
type noting struct {
	asked *ask.Question
	text  string
}

func (n noting) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	*n.asked = q
	return ask.Answer{Choice: q.Choices[0].ID, Text: n.text}, nil
}

func TestDiscreet_QuestionsHaveNoSecret(t *testing.T) {
	t.Parallel()
	const key = "ghp_Zb4kQ9xW2mT7vR1nY6cL8pD3sF5gH0jKqEuA"
	question := func(text string) ask.Question {
		return ask.Question{Title: "Keep " + text + "?", Detail: "of " + text, Choices: []ask.Choice{{ID: "a", Title: "with " + text}}}
	}
	given := question(key)
	var asked ask.Question
	answer, err := discreet{noting{&asked, "take " + key}, newHost(t)}.Ask(t.Context(), given)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(question("[redacted: github-pat]"), asked))
	require.Equal(t, ask.Answer{Choice: "a", Text: "take [redacted: github-pat]"}, answer)
	require.Empty(t, cmp.Diff(question(key), given), "the caller keeps the question")
}
