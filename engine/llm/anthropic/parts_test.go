package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// A model that lets no tool be forced on it is asked once more, without, and from then on.
func TestParts_AForcedToolThatIsRefused(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var choices []bool
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		chosen := strings.Contains(string(body), "tool_choice")
		mu.Lock()
		choices = append(choices, chosen)
		mu.Unlock()
		if chosen {
			answers(400, complaint("invalid_request_error", "tool_choice: forced tool use is not supported for this model"))(w, r)
			return
		}
		sent(asked("forge_answer", `{"z":"1"}`))(w, r)
	})
	c := client(t, base, old)
	r := ask("n")
	r.Schema = json.RawMessage(shape)
	for range 2 {
		got, err := c.Complete(t.Context(), r, nil)
		require.NoError(t, err)
		require.Equal(t, `{"z":"1"}`, got.Text) //nolint:testifylint // byte for byte
	}
	require.Equal(t, []bool{true, false, false}, choices)
}

func TestParts_UnrelatedRefusalIsNotRetried(t *testing.T) {
	t.Parallel()
	calls := 0
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		answers(400, complaint("invalid_request_error", "tool_choice: no"))(w, r)
	})
	_, err := client(t, base, "claude-opus-5-5").Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	require.ErrorContains(t, err, "tool_choice: no")
	require.Equal(t, 1, calls)
}
