package anthropic_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// Gateways that cannot stream answer with the whole, and say so.
func TestInstead_ADocumentInsteadOfAStreamIsAnAnswer(t *testing.T) {
	t.Parallel()
	instead := func(document string, missing int) string {
		return handled(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(document)))
			_, _ = w.Write([]byte(document[:len(document)-missing]))
		})
	}
	document := message("end_turn", `{"type":"text","text":"hello"}`)
	shown := ""
	response, err := client(t, instead(document, 0), old).Complete(t.Context(), ask("n"), func(piece string) { shown += piece })
	require.NoError(t, err)
	require.Equal(t, "hello", response.Text)
	require.Equal(t, "hello", shown)
	require.Equal(t, billed, response.Usage)

	for missing := 1; missing < len(document); missing++ {
		_, err := client(t, instead(document, missing), old).Complete(t.Context(), ask("n"), nil)
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind, document[:len(document)-missing])
	}
	_, err = client(t, instead(complaint("invalid_request_error", "no such endpoint"), 0), old).Complete(t.Context(), ask("n"), nil)
	require.ErrorContains(t, err, "no such endpoint")
	_, err = client(t, instead(`{"hello":"world"}`, 0), old).Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
}
