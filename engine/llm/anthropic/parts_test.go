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

// A model whose answers are shorter than a request permits is asked once more, with its limit, and from then on. A budget for
// thoughts leaves room for the answer.
func TestParts_TheLargestLimitIsLearnt(t *testing.T) {
	t.Parallel()
	type asked struct {
		Limit    int `json:"max_tokens"`
		Thinking struct {
			Budget int `json:"budget_tokens"`
		} `json:"thinking"`
	}
	var got []asked
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		var body asked
		_ = json.NewDecoder(r.Body).Decode(&body)
		got = append(got, body)
		if body.Limit > 8192 {
			answers(400, complaint("invalid_request_error", "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022"))(w, r)
			return
		}
		sent(said("end_turn", "ok"))(w, r)
	})
	c := client(t, base, old)
	for _, thinking := range []int{0, 10_000, 0} {
		r := ask("n")
		r.MaxTokens, r.Thinking = 16384, thinking
		_, err := c.Complete(t.Context(), r, nil)
		require.NoError(t, err)
	}
	require.Len(t, got, 4, "what was learnt stays")
	require.Equal(t, 16384, got[0].Limit)
	for i, budget := range []int{0, 4096, 0} {
		require.Equal(t, 8192, got[i+1].Limit)
		require.Equal(t, budget, got[i+1].Thinking.Budget)
	}
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
