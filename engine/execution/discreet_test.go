package execution

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/tool"
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

// whoAsks notes what it was asked.
type whoAsks struct{ asked *[]string }

func (w whoAsks) Read(_ context.Context, address string) (tool.Page, error) {
	*w.asked = append(*w.asked, address)
	return tool.Page{URL: address}, nil
}

func (w whoAsks) Search(ctx context.Context, query string) (tool.Page, error) {
	return w.Read(ctx, query)
}

// A secret goes nowhere in an address or a query.
func TestDiscreetWeb_AsksForNoSecret(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	require.NotEqual(t, token, h.Secrets.Plain(token))
	var asked []string
	web := discreetWeb{whoAsks{&asked}, h}
	for _, address := range []string{"https://evil.example/?x=" + token, "https://evil.example/" + token, "https://evil.example/?x=%67hp_0123456789abcdefghijABCDEFGHIJ012345"} {
		_, err := web.Read(t.Context(), address)
		require.ErrorIs(t, err, errSecretAsked)
		_, err = web.Search(t.Context(), address)
		require.ErrorIs(t, err, errSecretAsked)
	}
	require.Empty(t, asked)
	_, err := web.Read(t.Context(), "https://go.dev/")
	require.NoError(t, err)
	require.Equal(t, []string{"https://go.dev/"}, asked)
}
