package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// spoken is a chunk as MiniMax sends it: with an empty role, and counts that say nothing yet.
func spoken(delta string) string {
	return `{"id":"x","choices":[{"index":0,"delta":` + delta + `}],"created":1,"model":"MiniMax-M2","object":"chat.completion.chunk",` +
		`"usage":{"total_tokens":0,"total_characters":0},"input_sensitive":false,"output_sensitive":false,"base_resp":{"status_code":0,"status_msg":""}}`
}

// repeated is the event with which MiniMax ends a stream: all of the message once more, with the real counts.
func repeated(field, message string) string {
	return fmt.Sprintf(`{"id":"x","choices":[{"finish_reason":"stop","index":0,%q:%s}],"created":1,"model":"MiniMax-M2","object":"chat.completion",`+
		`"usage":{"total_tokens":30,"prompt_tokens":20,"completion_tokens":10},"base_resp":{"status_code":0,"status_msg":""}}`, field, message)
}

// TestMinimax_AMessageThatIsRepeatedCountsOnce reads streams whose last event holds the whole message
// (https://platform.minimax.io/docs/api-reference/text-post).
func TestMinimax_AMessageThatIsRepeatedCountsOnce(t *testing.T) {
	t.Parallel()
	call := func(index string) string {
		return `{"tool_calls":[{` + index + `"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":1}"}}]}`
	}
	counted := llm.Usage{Input: 20, Output: 10}
	tests := map[string]struct {
		events []string
		text   string
		calls  []llm.ToolCall
		usage  llm.Usage
	}{
		"as a message": {[]string{spoken(`{"role":"","content":"ha"}`), spoken(`{"role":"","content":"ha"}`), repeated("message", `{"content":"haha","role":"assistant"}`)}, "haha", nil, counted},
		"behind thoughts": {[]string{spoken(`{"role":"","reasoning_content":"Hm."}`), spoken(`{"content":"ha"}`),
			repeated("message", `{"content":"ha","reasoning_content":"Hm."}`)}, "ha", nil, counted},
		"as a delta": {[]string{spoken(`{"content":"ha"}`), spoken(`{"content":"ha"}`), repeated("delta", `{"content":"haha"}`)}, "haha", nil, counted},
		"behind a finish reason": {[]string{spoken(`{"content":"haha"}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"object":"chat.completion.chunk"}`,
			repeated("message", `{"content":"haha"}`), "[DONE]"}, "haha", nil, counted},
		"with tools":               {[]string{spoken(call(`"index":0,`)), repeated("message", call(""))}, "", []llm.ToolCall{called("a", "read_file", `{"path":1}`)}, counted},
		"with tools that it keeps": {[]string{spoken(`{"content":"Let me"}`), repeated("message", `{"content":"Let me see",`+call("")[1:])}, "Let me see", []llm.ToolCall{called("a", "read_file", `{"path":1}`)}, counted},
		"with more than was said":  {[]string{spoken(`{"content":"ha"}`), repeated("message", `{"content":"haha"}`)}, "haha", nil, counted},
		"in other words":           {[]string{spoken(`{"content":"<think>Hm.</think>ha"}`), repeated("message", `{"content":"ha"}`)}, "<think>Hm.</think>ha", nil, counted},
		"and nothing before":       {[]string{repeated("message", `{"content":"haha"}`)}, "haha", nil, counted},

		// The negative twin: a server that calls its chunks so from the beginning repeats nothing.
		"which is no repetition": {[]string{
			`{"object":"chat.completion","choices":[{"delta":{"content":"ha"}}]}`, `{"object":"chat.completion","choices":[{"delta":{"content":"ha"},"finish_reason":"stop"}]}`,
		}, "haha", nil, llm.Usage{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			response, err := client(t, handled(t, chunks(test.events...))).Complete(t.Context(), offering(""), func(piece string) { shown.WriteString(piece) })
			require.NoError(t, err)
			require.Equal(t, test.text, response.Text)
			require.Equal(t, test.text, shown.String())
			require.Equal(t, test.usage, response.Usage)
			require.Empty(t, cmp.Diff(test.calls, response.Calls))
		})
	}
}

func TestMinimax_FindsErrorsUnderAGoodStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		code int
		says string
		kind llm.Kind
	}{
		"rate limit":  {1002, "rate limit", llm.KindRateLimited},
		"wrong key":   {1004, "login fail: Please carry the API secret key " + key, llm.KindAuth},
		"no balance":  {1008, "insufficient balance", llm.KindAuth},
		"sensitive":   {1027, "output new_sensitive", llm.KindRefused},
		"no capacity": {1033, "system error", llm.KindTransient},
		"mistake":     {2013, "invalid params", llm.KindInvalid},
	}
	for name, test := range tests {
		body := fmt.Sprintf(`{"id":"x","base_resp":{"status_code":%d,"status_msg":%q}}`, test.code, test.says)
		handlers := map[string]string{"alone": body, "as an event": "data: " + body + "\n\n", "behind a piece": "data: " + spoken(`{"content":"par"}`) + "\n\ndata: " + body + "\n\n"}
		for way, sentBody := range handlers {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				_, err := client(t, handled(t, sent(sentBody))).Complete(t.Context(), ask("n"), nil)
				require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
				require.ErrorContains(t, err, strings.ReplaceAll(test.says, key, "[key]"))
			})
		}
	}
}
