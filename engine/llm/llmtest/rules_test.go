package llmtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func user(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }

func TestRules_EveryRequestKeepsTheRules(t *testing.T) {
	t.Parallel()
	call := llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a", Name: "search"}, {ID: "b", Name: "search"}}}
	result := func(id string) llm.Message { return llm.Message{Role: llm.Tool, CallID: id, Text: "found"} }
	tests := map[string]struct {
		rules    string
		requests []llm.Request
		breaks   string // empty: all of them are kept
	}{
		"results in any order":     {"", []llm.Request{{Messages: []llm.Message{user("x"), call, result("b"), result("a"), user("y")}}}, ""},
		"a call without a result":  {"", []llm.Request{{Messages: []llm.Message{call, result("a"), user("y")}}}, "1 calls of tools have no result"},
		"the last has none":        {"", []llm.Request{{Messages: []llm.Message{call}}}, "2 calls of tools have no result"},
		"a result without a call":  {"", []llm.Request{{Messages: []llm.Message{user("x"), result("a")}}}, `"a", which is not open`},
		"a result twice":           {"", []llm.Request{{Messages: []llm.Message{call, result("a"), result("a")}}}, `"a", which is not open`},
		"two calls of one id":      {"", []llm.Request{{Messages: []llm.Message{{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "a"}, {ID: "a"}}}}}}, `"a" of a call is not its own`},
		"a secret in a message":    {"secrets: [hunter2]", []llm.Request{{Messages: []llm.Message{user("pw hunter2!")}}}, "secret 1 of the list"},
		"a secret in a tool":       {"secrets: [x1, hunter2]", []llm.Request{{Tools: []llm.ToolDef{{Name: "a", Description: "hunter2"}}}}, "secret 2 of the list"},
		"no secret":                {"secrets: [hunter2]", []llm.Request{{Messages: []llm.Message{user("hunter 2")}}}, ""},
		"too many tokens":          {"tokens: 2", []llm.Request{{Messages: []llm.Message{user("123456789")}}}, "3 tokens, 2 are allowed"},
		"enough tokens":            {"tokens: 2", []llm.Request{{Messages: []llm.Message{user("12345678")}}}, ""},
		"the same beginning":       {"stable: true", attempts("be kind", "be kind"), ""},
		"another beginning":        {"stable: true", attempts("be kind", "be kind!"), "message 1 is not that of attempt 1"},
		"no rule wants the same":   {"", attempts("be kind", "be kind!"), ""},
		"a mark goes farther":      {"stable: true", marked("one", "two"), "message 2 is not that of attempt 1"},
		"the same up to the mark":  {"stable: true", marked("one", "one"), ""},
		"a message of it is gone":  {"stable: true", []llm.Request{attempts("a", "a")[0], {Node: "executor", Attempt: 2}}, "message 1 is not that of attempt 1"},
		"first attempts are first": {"stable: true", []llm.Request{attempts("a", "a")[0], attempts("b", "b")[0]}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, "rules: {"+test.rules+"}\nentries:\n- reply: {text: a}\n  times: -1\n")
			var failed error
			for _, r := range test.requests {
				if _, err := s.Model().Complete(t.Context(), r, nil); err != nil {
					failed = err
				}
			}
			if test.breaks == "" {
				require.NoError(t, failed)
				require.NoError(t, s.Verify())
				return
			}
			require.ErrorContains(t, failed, "this request breaks a rule of the script")
			require.ErrorContains(t, failed, test.breaks)
			require.NotContains(t, failed.Error(), "hunter2")
			require.ErrorContains(t, s.Verify(), test.breaks)
		})
	}
}

// attempts are two of one node.
func attempts(first, second string) []llm.Request {
	return []llm.Request{
		{Node: "executor", Attempt: 1, Messages: []llm.Message{{Role: llm.System, Text: first}, user("x")}},
		{Node: "executor", Attempt: 2, Messages: []llm.Message{{Role: llm.System, Text: second}, user("y")}},
	}
}

func marked(first, second string) []llm.Request {
	both := attempts("same", "same")
	both[0].Messages[1] = llm.Message{Role: llm.User, Text: first, Stable: true}
	both[1].Messages[1] = llm.Message{Role: llm.User, Text: second, Stable: true}
	return both
}

func TestRules_HoldOverHTTP(t *testing.T) {
	t.Parallel()
	s := parse(t, "rules: {secrets: [hunter2]}\nentries:\n- reply: {text: a}\n  times: -1\n")
	base, stop := serve(t, s, nil)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"messages":[{"role":"user","content":"%s"}]}`,
		"/v1/messages":         `{"messages":[{"role":"user","content":"%s"}]}`,
		"/api/chat":            `{"stream":false,"messages":[{"role":"user","content":"%s"}]}`,
	} {
		status, _ := exchange(t, http.MethodPost, base+path, strings.Replace(body, "%s", "hello", 1))
		require.Equal(t, http.StatusOK, status, path)
		status, text := exchange(t, http.MethodPost, base+path, strings.Replace(body, "%s", "hunter2", 1))
		require.Equal(t, http.StatusBadRequest, status, path)
		require.Contains(t, text, "secret 1 of the list", path)
	}
	stop()
	require.ErrorContains(t, s.Verify(), "breaks a rule")
}
