package openai_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// instead is a handler that answers with a document, and says so, whatever was asked for. It declares a length, of which a
// part may be missing.
func instead(document string, missing int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(document)))
		_, _ = w.Write([]byte(document[:len(document)-missing]))
	}
}

// Gateways that cannot stream answer with the whole.
func TestInstead_ADocumentInsteadOfAStreamIsAnAnswer(t *testing.T) {
	t.Parallel()
	const document = `{"model":"m","choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`
	shown := ""
	response, err := client(t, handled(t, instead(document, 0))).Complete(t.Context(), ask("n"), func(piece string) { shown += piece })
	require.NoError(t, err)
	require.Equal(t, "hello", response.Text)
	require.Equal(t, "hello", shown)
	require.Equal(t, llm.Usage{Input: 3, Output: 2}, response.Usage)

	for missing := 1; missing < len(document); missing++ {
		_, err := client(t, handled(t, instead(document, missing))).Complete(t.Context(), ask("n"), nil)
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind, document[:len(document)-missing])
	}
	for name, test := range map[string]struct {
		document string
		kind     llm.Kind
	}{
		"no end":   {`{"choices":[{"message":{"content":"hello"}}]}`, llm.KindTruncated},
		"an error": {`{"error":{"message":"overloaded","type":"invalid_request_error"}}`, llm.KindInvalid},
		"other":    {`{"hello":"world"}`, llm.KindTruncated},
	} {
		_, err := client(t, handled(t, instead(test.document, 0))).Complete(t.Context(), ask("n"), nil)
		require.Equal(t, test.kind, failure(t, err).Kind, name)
	}
}
