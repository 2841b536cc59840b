package llmtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// A repeated request with the key of an answer gets that answer, and uses up nothing; a fault is no answer.
func TestAgain_AKeyedCallIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s, err := Parse("again", []byte("entries:\n- {fault: {kind: status, status: 503}}\n- {reply: {text: one}}\n- {reply: {text: two}}\n"))
	require.NoError(t, err)
	ask := func(key string) (string, error) {
		answer, err := s.Model().Complete(t.Context(), llm.Request{Key: key}, nil)
		return answer.Text, err
	}
	_, err = ask("a")
	require.Error(t, err)
	for range 3 {
		text, err := ask("a")
		require.NoError(t, err)
		require.Equal(t, "one", text)
	}
	require.Len(t, s.Requests(), 2)
	text, err := ask("") // the twin: without a key every call is a new one
	require.NoError(t, err)
	require.Equal(t, "two", text)
	_, err = ask("")
	require.Error(t, err)
}
