package llmtest_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const everything = `
entries:
- reply:
    text: "Let me look: “é”."
    thinking: hm
    toolCalls: [{name: search, arguments: {query: slugify it, k: 2}}, {id: mine, name: read, raw: "{}"}]
    usage: {input: 7, output: 9, cacheRead: 5, cacheWrite: 3}
  times: 6
`

// asks is one request in each format, with everything in it that a script can see.
var asks = map[string]struct{ path, body string }{
	"openai": {"/v1/chat/completions", `{"model":"m","temperature":0.5,"max_completion_tokens":9,"tool_choice":{"type":"function","function":{"name":"search"}},
		"tools":[{"type":"function","function":{"name":"search","description":"Finds.","parameters":{"type":"object"}}}],
		"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"k\":1}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"found"}]`},
	"anthropic": {"/v1/messages", `{"model":"m","temperature":0.5,"max_tokens":9,"tool_choice":{"type":"tool","name":"search"},
		"tools":[{"name":"search","description":"Finds.","input_schema":{"type":"object"}}],"system":[{"type":"text","text":"be kind"}],
		"messages":[{"role":"user","content":"hello"},
			{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"search","input":{"k":1}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"found"}]}]}]`},
	"ollama": {"/api/chat", `{"model":"m","options":{"temperature":0.5,"num_predict":9},
		"tools":[{"type":"function","function":{"name":"search","description":"Finds.","parameters":{"type":"object"}}}],
		"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello"},
			{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"search","arguments":{"k":1}}}]},
			{"role":"tool","tool_name":"search","content":"found","tool_call_id":"c1"}]`},
}

// TestWire_EachFormat compares every byte of what travels with testdata/wire. That it is what providers send, the adapters show:
// they read it with the providers' own libraries.
func TestWire_EachFormat(t *testing.T) {
	t.Parallel()
	for name, ask := range asks {
		for way, stream := range map[string]string{"stream": `,"stream":true}`, "whole": `,"stream":false}`} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				s, base := frozen(t)
				status, got := exchange(t, http.MethodPost, base+ask.path, ask.body+stream)
				require.Equal(t, http.StatusOK, status, got)
				golden := filepath.Join("testdata", "wire", name+"-"+way+".txt")
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), got) //nolint:testifylint // byte for byte
				requireRead(t, name, way == "whole", s.Requests()[0])
			})
		}
	}
}

func frozen(t *testing.T) (*llmtest.Script, string) {
	t.Helper()
	s := parse(t, everything)
	s.Now = func() time.Time { return time.Unix(1700000000, 0) }
	base, stop := serve(t, s, nil)
	t.Cleanup(stop)
	return s, base
}

// requireRead compares a request with what every format says in its own way.
func requireRead(t *testing.T, name string, whole bool, got llm.Request) {
	t.Helper()
	want := llm.Request{
		Node: "executor", Attempt: 2, Temperature: 0.5, MaxTokens: 9, Whole: whole, UseTool: "search",
		Tools: []llm.ToolDef{{Name: "search", Description: "Finds.", Schema: []byte(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.System, Text: "be kind"}, user("hello"),
			{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "c1", Name: "search", Arguments: []byte(`{"k":1}`)}}},
			{Role: llm.Tool, CallID: "c1", Text: "found"},
		},
	}
	switch name {
	case "anthropic": // a tool that must be used is how a schema travels
		want.Schema = []byte(`{"type":"object"}`)
	case "ollama":
		want.UseTool = ""
	}
	require.Empty(t, cmp.Diff(want, got))
}

func TestWire_ModelsAreListedInEachFormat(t *testing.T) {
	t.Parallel()
	s := parse(t, "model: a\nmodels: [a, 'b:7b']\nwindow: 4096\nentries:\n- reply: {text: a}\n")
	s.Now = func() time.Time { return time.Unix(1700000000, 0) }
	base, stop := serve(t, s, nil)
	defer stop()
	_, text := exchange(t, http.MethodGet, base+"/v1/models", "")
	require.JSONEq(t, `{"object":"list","data":[{"id":"a","object":"model","owned_by":"forge"},{"id":"b:7b","object":"model","owned_by":"forge"}]}`, text)
	_, text = exchange(t, http.MethodGet, base+"/api/tags", "")
	require.Contains(t, text, `"name":"b:7b"`)
	require.Contains(t, text, `"model":"b:7b"`)
	_, text = exchange(t, http.MethodPost, base+"/api/show", `{"model":"b:7b"}`)
	require.Contains(t, text, `"scripted.context_length":4096`)
	status, text := exchange(t, http.MethodPost, base+"/api/show", `{"model":"c"}`)
	require.Equal(t, http.StatusNotFound, status)
	require.JSONEq(t, `{"error":"model 'c' not found"}`, text)
	_, text = exchange(t, http.MethodGet, base+"/api/version", "")
	require.JSONEq(t, `{"version":"0.12.6"}`, text)
}
