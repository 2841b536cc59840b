package anthropic_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// FuzzFuzz_Answer checks that whatever a server sends is an answer or an error with a kind, that pieces add up to the text,
// and that calls come exactly with their reason.
func FuzzFuzz_Answer(f *testing.F) {
	f.Add(said("end_turn", "Hel", "lo"), false)
	f.Add(asked("weather", `{"at":`, `1}`), false)
	f.Add(asked("forge_answer", `{}`), false)
	f.Add(message("end_turn", `{"type":"text","text":"Hello"}`), true)
	f.Add(message("tool_use", `{"type":"tool_use","id":"a","name":"weather","input":{}}`), true)
	f.Add(begun+event(complaint("overloaded_error", "x")), false)
	f.Add("data: {\"type\":\"content_block_start\",\"index\":-1,\"content_block\":null}\n\ndata: {\"type\":\"content_block_stop\",\"index\":-1}\n\n", false)
	f.Fuzz(func(t *testing.T, body string, whole bool) {
		c := anthropic.New(wire.Options{Model: old, HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
			return respond(http.StatusOK, body), nil
		})}})
		r := ask("n")
		r.Whole, r.Tools = whole, []llm.ToolDef{weather}
		var shown strings.Builder
		response, err := c.Complete(t.Context(), r, func(piece string) {
			require.NotEmpty(t, piece)
			shown.WriteString(piece)
		})
		if err != nil {
			require.NotEmpty(t, failure(t, err).Kind)
			return
		}
		require.Equal(t, response.Finish == llm.FinishTools, len(response.Calls) > 0)
		require.Contains(t, []llm.FinishReason{llm.FinishStop, llm.FinishTools}, response.Finish)
		if !whole && !strings.Contains(body, "forge_answer") {
			require.Equal(t, response.Text, shown.String())
		}
	})
}
