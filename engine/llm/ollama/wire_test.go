package ollama_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

// seen is a call as it arrived.
type seen struct {
	path   string
	header http.Header
	body   map[string]json.RawMessage
}

func (s seen) option(name string) string {
	var options map[string]json.RawMessage
	_ = json.Unmarshal(s.body["options"], &options)
	return string(options[name])
}

// recorded is a server that notes every call and answers chats with one answer; others it does not know.
func recorded(t testing.TB, answer string) (base string, calls func() []seen) {
	t.Helper()
	arrived := make(chan seen, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := seen{path: r.URL.Path, header: r.Header}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &got.body)
		arrived <- got
		if r.URL.Path != "/api/chat" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []seen {
		var all []seen
		for {
			select {
			case got := <-arrived:
				all = append(all, got)
			default:
				return all
			}
		}
	}
}

// capture asks once and returns what went over the wire.
func capture(t testing.TB, o ollama.Options, r llm.Request) seen {
	t.Helper()
	base, calls := recorded(t, end+"\n")
	if o.Window == 0 {
		o.Window = window
	}
	o.Model = cmp.Or(o.Model, "qwen3:8b")
	o.BaseURL = base + o.BaseURL
	c := ollama.New(o)
	defer c.Close()
	_, err := c.Complete(t.Context(), r, nil)
	require.NoError(t, err)
	all := calls()
	require.Len(t, all, 1)
	return all[0]
}

func TestWire_RequestOnTheWire(t *testing.T) {
	t.Parallel()
	r := llm.Request{
		Node: "executor", Attempt: 2, MaxTokens: 99, Key: "run-1/review",
		Messages:   []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: `say "temperature":1`}},
		Schema:     json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`),
		SchemaName: "executor_reply",
	}
	got := capture(t, ollama.Options{Options: wire.Options{Key: key, TagRequests: true}}, r)
	require.Equal(t, "/api/chat", got.path)
	require.Equal(t, "Bearer "+key, got.header.Get("Authorization"))
	require.Equal(t, "run-1/review", got.header.Get("Idempotency-Key"))
	require.Equal(t, "executor", got.header.Get("X-Forge-Node"))
	require.JSONEq(t, `"qwen3:8b"`, string(got.body["model"]))
	require.JSONEq(t, `[{"role":"system","content":"Be brief."},{"role":"user","content":"say \"temperature\":1"}]`, string(got.body["messages"]))
	require.JSONEq(t, string(r.Schema), string(got.body["format"]))
	require.JSONEq(t, `{"num_ctx":8192,"num_predict":99,"temperature":0}`, string(got.body["options"]))
	for name, want := range map[string]string{"stream": "true", "think": "false", "truncate": "false", "shift": "false"} {
		require.Equal(t, want, string(got.body[name]), name)
	}
	require.NotContains(t, got.body, "keep_alive")
	require.NotContains(t, got.body, "tools")
}

func TestWire_OmitsUnsetFields(t *testing.T) {
	t.Parallel()
	got := capture(t, ollama.Options{}, ask("n"))
	require.Empty(t, got.header.Values("Authorization"))
	require.Empty(t, got.header.Values("X-Forge-Node"))
	require.NotContains(t, got.body, "format")
	require.Empty(t, got.option("num_predict"))
}

func TestWire_TranslatesFields(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.Whole, r.Temperature, r.MaxTokens, r.Thinking = true, 0.7, 100, 1000
	got := capture(t, ollama.Options{}, r)
	require.Equal(t, "false", string(got.body["stream"]))
	require.Equal(t, "true", string(got.body["think"]))
	require.Equal(t, "0.7", got.option("temperature"))
	require.Equal(t, "1100", got.option("num_predict"), "what is thought counts as predicted")
}

// gpt-oss has levels, cannot be kept from thinking, and gives an empty answer to a schema if it is told not to think.
func TestWire_LevelsOfThinking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model  string
		tokens int
		think  string
		thinks bool
	}{
		{"gpt-oss:20b", 0, `"low"`, true},
		{"hf.co/unsloth/GPT-OSS-120b-GGUF", 10_000, `"medium"`, true},
		{"qwen3:8b", 0, "false", false},
		{"qwen3:8b", 10_000, "true", false},
	} {
		r := ask("n")
		r.Schema, r.Thinking = json.RawMessage(`{"type":"object"}`), c.tokens
		o := ollama.Options{Options: wire.Options{Model: c.model}}
		require.Equal(t, c.think, string(capture(t, o, r).body["think"]), c.model)
		require.Equal(t, c.thinks, ollama.New(o).Thinks(), c.model)
	}
}

func TestWire_BaseURLs(t *testing.T) {
	t.Parallel()
	for _, habit := range []string{"", "/", "/v1", "/v1/", "/api", "/api/", " "} {
		got := capture(t, ollama.Options{Options: wire.Options{BaseURL: habit}}, ask("n"))
		require.Equal(t, "/api/chat", got.path, habit)
	}
	require.Equal(t, "m at 127.0.0.1:11434", ollama.New(ollama.Options{Options: wire.Options{Model: "m"}}).Name())
	require.Equal(t, "m at h:1", ollama.New(ollama.Options{Options: wire.Options{Model: "m", BaseURL: "http://me:secret@h:1/v1"}}).Name())
}

func TestWire_AConversationWithTools(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.Tools = []llm.ToolDef{
		{Name: "look", Description: "Looks.", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		{Name: "touch", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.Assistant, Text: "let me see", Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "touch"}}},
		llm.Message{Role: llm.Tool, CallID: "a", Text: "one"}, llm.Message{Role: llm.Tool, CallID: "b", Text: "hot", Failed: true},
	)
	got := capture(t, ollama.Options{}, r)
	require.JSONEq(t, `[{"role":"user","content":"Hello?"},
		{"role":"assistant","content":"let me see","tool_calls":[
			{"id":"a","function":{"index":0,"name":"look","arguments":{"n":1}}},{"id":"b","function":{"index":1,"name":"touch","arguments":{}}}]},
		{"role":"tool","content":"one","tool_name":"look","tool_call_id":"a"},
		{"role":"tool","content":"The tool failed: hot","tool_name":"touch","tool_call_id":"b"}]`, string(got.body["messages"]))
	require.JSONEq(t, `[
		{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}},
		{"type":"function","function":{"name":"touch","parameters":{"type":"object"}}}]`, string(got.body["tools"]))
}
