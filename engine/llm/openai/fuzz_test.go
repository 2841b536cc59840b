package openai

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// FuzzFuzz_Answer reads anything as a stream and as a whole answer: what is taken for an answer has a finish reason, has
// calls exactly if that says so, and was shown piece by piece as it is.
func FuzzFuzz_Answer(f *testing.F) {
	for _, seed := range []string{
		`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n",
		`data: {"choices":[{"message":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}` + "\ndata: [DONE]\n",
		`data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"a"}}]}` + "\n" + `data: {"object":"chat.completion","choices":[{"message":{"content":"ab"},"finish_reason":"stop"}]}` + "\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"t","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n",
		`{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"t","arguments":{"a":[1]}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1}}`,
		`{"choices":[{"message":{"refusal":"no"},"finish_reason":"stop"}]}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, whole bool) {
		var shown strings.Builder
		a := newAnswer(llm.Request{Tools: []llm.ToolDef{{Name: "t"}}}, func(piece string) {
			require.NotEmpty(t, piece)
			shown.WriteString(piece)
		}, func() {})
		read := a.stream
		if whole {
			read = a.whole
		}
		err := read(strings.NewReader(body))
		got := a.response("m")
		require.Equal(t, got.Text, shown.String())
		require.True(t, utf8.ValidString(got.Text))
		require.Equal(t, got.Finish == llm.FinishTools, len(got.Calls) > 0)
		require.GreaterOrEqual(t, min(got.Usage.Input, got.Usage.Output, got.Usage.CacheRead, got.Usage.CacheWrite), 0)
		if err != nil {
			require.Empty(t, got.Calls)
			return
		}
		require.Contains(t, []llm.FinishReason{llm.FinishStop, llm.FinishTools}, got.Finish)
	})
}
