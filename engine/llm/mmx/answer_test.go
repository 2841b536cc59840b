package mmx_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/mmx"
)

const whole = `{
  "id": "1", "type": "message", "role": "assistant",
  "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "é “ok”"}],
  "model": "MiniMax-M3", "stop_reason": "end_turn",
  "usage": {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 1}
}
`

func stopped(reason, content string) string {
	return `{"type":"message","content":[` + content + `],"stop_reason":"` + reason + `"}`
}

func TestAnswer_AnAnswer(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "Detecting region... global\n", "0")
	var shown []string
	response, err := mmx.New(f.options()).Complete(t.Context(), ask(), func(piece string) { shown = append(shown, piece) })
	require.NoError(t, err)
	require.Positive(t, response.Latency)
	response.Latency = 0
	want := llm.Response{Text: "é “ok”", Finish: llm.FinishStop, Model: "MiniMax-M3", Usage: llm.Usage{Input: 3, Output: 4, CacheRead: 1}}
	require.Empty(t, cmp.Diff(want, response))
	require.Equal(t, []string{"é “ok”"}, shown)
}

func TestAnswer_WholeStreamsNothing(t *testing.T) {
	t.Parallel()
	r := ask()
	r.Whole = true
	_, err := mmx.New(pretend(t, whole, "", "0").options()).Complete(t.Context(), r, func(string) { t.Error("a piece was shown") })
	require.NoError(t, err)
}

func TestAnswer_CancelledCallHasNoAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := mmx.New(pretend(t, whole, "", "0").options()).Complete(ctx, ask(), func(string) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

// TestAnswer_NothingPrivateIsAnArgument looks at what every user of the computer could see, and at what mmx gets.
func TestAnswer_NothingPrivateIsAnArgument(t *testing.T) {
	t.Parallel()
	f := pretend(t, stopped("tool_use", `{"type":"tool_use","id":"t1","name":"look","input":{ "path": "a" }}`), "", "0")
	r := ask()
	r.Messages = append([]llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.System, Text: "Be kind."}}, r.Messages...)
	r.Tools = []llm.ToolDef{{Name: "look", Description: "private", Schema: json.RawMessage(`{"type":"object"}`)}}
	r.MaxTokens, r.Thinking = 1400, 100
	response, err := f.complete(r)
	require.NoError(t, err)
	require.Equal(t, llm.FinishTools, response.Finish)
	require.Equal(t, []llm.ToolCall{{ID: "t1", Name: "look", Arguments: json.RawMessage(`{"path":"a"}`)}}, response.Calls)

	argv := f.seen("argv")
	for _, private := range []string{key, "Héllo", "brief", "private"} {
		require.NotContains(t, argv, private)
	}
	require.Contains(t, argv, "text\nchat\n--messages-file\n-\n--output\njson\n--non-interactive")
	require.Contains(t, argv, "--temperature\n0.01")
	require.Contains(t, argv, "--max-tokens\n1500")
	require.Contains(t, argv, "--timeout\n90")

	require.JSONEq(t, `[{"role":"system","content":"Be brief.\n\nBe kind."},{"role":"user","content":"Héllo?"}]`, f.seen("stdin"))
	require.JSONEq(t, `{"api_key":"`+key+`"}`, f.seen("config"))
	require.JSONEq(t, `{"name":"look","description":"private","input_schema":{"type":"object"}}`, f.seen("tool"))
	require.NotContains(t, f.seen("env"), key)
	require.NotContains(t, f.seen("env"), "SECRET_TOKEN")
	require.Contains(t, f.seen("env"), "HTTPS_PROXY=http://proxy.example:3128")

	left, err := os.ReadDir(f.scratch)
	require.NoError(t, err)
	require.Empty(t, left, "files of a call stayed behind")
}

func TestAnswer_WithoutAKeyOfOursMmxUsesItsOwn(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	o := f.options()
	o.Key, o.BaseURL, o.Model = "", "https://api.example.com", ""
	o.Environ = append(o.Environ, "MMX_CONFIG_DIR=/the/persons/own")
	_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
	require.NoError(t, err)
	for _, entry := range []string{"MMX_CONFIG_DIR=/the/persons/own", "MINIMAX_REGION=global", "MINIMAX_BASE_URL=https://api.example.com", "HOME=" + os.Getenv("HOME")} {
		require.Contains(t, strings.Split(f.seen("env"), "\n"), entry)
	}
	require.NotContains(t, f.seen("argv"), "--model")
}

func TestAnswer_TheRegionOfAKeyIsFoundOnce(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "finds"), []byte(`{"api_key":"x","region":"cn"}`), 0o600))
	c := mmx.New(f.options())
	for _, want := range []bool{false, true, true} {
		_, err := c.Complete(t.Context(), ask(), nil)
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(f.seen("env"), "MINIMAX_REGION=cn"))
	}
}

func TestAnswer_ABaseURLIsNotLeftForARegion(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	o := f.options()
	o.BaseURL = "https://api.example.com"
	_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
	require.NoError(t, err)
	require.Contains(t, f.seen("env"), "MINIMAX_REGION=global")
}

func TestAnswer_AConversationWithTools(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "0")
	r := ask()
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.Assistant, Text: "let me see", Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "look"}}},
		llm.Message{Role: llm.Tool, CallID: "a", Text: "one"}, llm.Message{Role: llm.Tool, CallID: "b", Text: "no", Failed: true},
	)
	_, err := f.complete(r)
	require.NoError(t, err)
	require.JSONEq(t, `[{"role":"user","content":"Héllo?"},
		{"role":"assistant","content":[{"type":"text","text":"let me see"},{"type":"tool_use","id":"a","name":"look","input":{"n":1}},{"type":"tool_use","id":"b","name":"look","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"one"},{"type":"tool_result","tool_use_id":"b","content":"no","is_error":true}]}]`,
		f.seen("stdin"))
}

// TestAnswer_NoPartIsTakenForTheWhole cuts what mmx prints at every byte, with an end that looks good.
func TestAnswer_NoPartIsTakenForTheWhole(t *testing.T) {
	t.Parallel()
	for offset := range len(whole) {
		response, err := mmx.Read(ask(), []byte(whole[:offset]), "m")
		if strings.TrimRight(whole[offset:], "\n") == "" {
			require.NoError(t, err)
			require.Equal(t, "é “ok”", response.Text)
			continue
		}
		var failed *llm.Error
		require.ErrorAs(t, err, &failed, "offset %d", offset)
		require.Equal(t, llm.KindTruncated, failed.Kind, "offset %d: %v", offset, err)
	}
}

func TestAnswer_Ends(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","text":"par"}`
	forced := ask()
	forced.Tools = []llm.ToolDef{{Name: "look"}, {Name: "touch"}}
	forced.UseTool = "look"
	call := func(name, input string) string {
		return `{"type":"tool_use","id":"1","name":"` + name + `","input":` + input + `}`
	}
	tests := map[string]struct {
		request llm.Request
		printed string
		kind    llm.Kind
		text    string
		finish  llm.FinishReason
	}{
		"length":               {ask(), stopped("max_tokens", text), llm.KindLength, "par", llm.FinishLength},
		"refusal":              {ask(), stopped("refusal", text), llm.KindRefused, "par", llm.FinishRefusal},
		"window":               {ask(), stopped("model_context_window_exceeded", text), llm.KindOverflow, "par", llm.FinishLength},
		"no end":               {ask(), stopped("", text), llm.KindTruncated, "par", ""},
		"an end of its own":    {ask(), stopped("tired", text), llm.KindInvalid, "par", ""},
		"nothing":              {ask(), "", llm.KindTruncated, "", ""},
		"text":                 {ask(), "Hello!", llm.KindInvalid, "", ""},
		"two answers":          {ask(), whole + whole, llm.KindInvalid, "", ""},
		"a wrong type":         {ask(), `{"content":"none"}`, llm.KindInvalid, "", ""},
		"only text, streamed":  {ask(), `{"content":[{"type":"text","text":"par"}]}`, llm.KindTruncated, "par", ""},
		"a tool from nowhere":  {ask(), stopped("tool_use", call("look", "{}")), llm.KindInvalid, "", llm.FinishTools},
		"a tool not to use":    {forced, stopped("tool_use", call("touch", "{}")), llm.KindInvalid, "", llm.FinishTools},
		"no tool used":         {forced, stopped("end_turn", text), llm.KindInvalid, "par", llm.FinishStop},
		"a tool without name":  {forced, stopped("tool_use", text), llm.KindInvalid, "par", llm.FinishTools},
		"arguments in a list":  {forced, stopped("tool_use", call("look", "[1]")), llm.KindInvalid, "", llm.FinishTools},
		"arguments that are 0": {forced, stopped("tool_use", call("look", "null")), llm.KindInvalid, "", llm.FinishTools},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := mmx.Read(test.request, []byte(test.printed), "m")
			var failed *llm.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Equal(t, test.text, response.Text)
			require.Equal(t, test.finish, response.Finish)
		})
	}
}
