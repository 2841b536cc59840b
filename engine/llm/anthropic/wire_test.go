package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// seen is a request as it arrived.
type seen struct {
	header     http.Header
	raw        string
	body       map[string]json.RawMessage
	path, host string
}

// capture asks once and returns what went over the wire.
func capture(t *testing.T, options wire.Options, r llm.Request) seen {
	t.Helper()
	var got seen
	options.HTTP = &http.Client{Transport: transport(func(request *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(request.Body)
		got = seen{header: request.Header, raw: string(raw), path: request.URL.Path, host: request.URL.Host}
		_ = json.Unmarshal(raw, &got.body)
		if r.Whole {
			return respond(http.StatusOK, message("end_turn", `{"type":"text","text":"ok"}`)), err
		}
		return respond(http.StatusOK, said("end_turn", "ok")), err
	})}
	_, err := anthropic.New(options).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	return got
}

func TestWire_RequestOnTheWire(t *testing.T) {
	t.Parallel()
	r := llm.Request{
		Node: "executor", Attempt: 2, Key: "run-1/executor", MaxTokens: 99, Temperature: 0.7,
		Messages: []llm.Message{
			{Role: llm.System, Text: "Be brief."}, {Role: llm.System, Text: "Be exact.", Stable: true}, {Role: llm.User, Text: "a <b> & \"c\"", Stable: true}, {Role: llm.User, Text: ""},
			{Role: llm.Assistant, Text: "I look.", Calls: []llm.ToolCall{call("a", `{"z": 1, "b": 2}`), call("b", "")}, Stable: true},
			{Role: llm.Tool, CallID: "a", Text: "sunny"}, {Role: llm.Tool, CallID: "b", Text: "no such place", Failed: true}, {Role: llm.User, Text: "And now?"},
			{Role: llm.Tool, CallID: "c", Stable: true},
		},
		Tools:   []llm.ToolDef{{Name: "weather", Description: "Tells it.", Schema: json.RawMessage(shape)}, {Name: "noon"}},
		UseTool: llm.AnyTool,
	}
	for way, whole := range map[string]bool{"stream": false, "whole": true} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r.Whole = whole
			got := capture(t, wire.Options{Model: old, Key: key}, r)
			require.Equal(t, "/v1/messages", got.path)
			require.Equal(t, "api.anthropic.com", got.host)
			require.Equal(t, key, got.header.Get("X-Api-Key"))
			require.Equal(t, "2023-06-01", got.header.Get("Anthropic-Version"))
			require.Equal(t, "run-1/executor", got.header.Get("Idempotency-Key"))
			require.JSONEq(t, `"`+old+`"`, string(got.body["model"]))
			require.Equal(t, "99", string(got.body["max_tokens"]))
			require.Equal(t, "0.7", string(got.body["temperature"]))
			require.Equal(t, !whole, string(got.body["stream"]) == "true")
			require.JSONEq(t, `{"type":"any"}`, string(got.body["tool_choice"]))
			require.JSONEq(t, `[{"type":"text","text":"Be brief."},{"type":"text","text":"Be exact.","cache_control":{"type":"ephemeral"}}]`, string(got.body["system"]))
			require.JSONEq(t, `[
				{"role":"user","content":[{"type":"text","text":"a <b> & \"c\"","cache_control":{"type":"ephemeral"}}]},
				{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"weather","input":{"z":1,"b":2}},
					{"type":"tool_use","id":"b","name":"weather","input":{},"cache_control":{"type":"ephemeral"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"sunny"}]},
					{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"no such place"}],"is_error":true},{"type":"text","text":"And now?"},
					{"type":"tool_result","tool_use_id":"c","cache_control":{"type":"ephemeral"}}]}]`, string(got.body["messages"]))
			require.JSONEq(t, `[{"name":"weather","description":"Tells it.","input_schema":`+shape+`},{"name":"noon","input_schema":{"type":"object"}}]`, string(got.body["tools"]))
			require.Contains(t, got.raw, shape, "properties keep their order")
			require.Empty(t, got.body["thinking"])
			require.Empty(t, got.body["output_config"])
			for name := range got.header {
				require.NotContains(t, name, "Stainless", "nothing reveals this machine")
				require.NotContains(t, name, "X-Forge")
			}
		})
	}
}

func TestWire_NoMoreThanFourPlacesAreCached(t *testing.T) {
	t.Parallel()
	var r llm.Request
	for i := range 3 {
		r.Messages = append(r.Messages, llm.Message{Role: llm.System, Text: fmt.Sprint("s", i), Stable: true}, llm.Message{Role: llm.User, Text: fmt.Sprint("u", i), Stable: true})
	}
	got := capture(t, wire.Options{Model: old}, r)
	require.Equal(t, 4, strings.Count(got.raw, `"ephemeral"`))
	require.NotContains(t, string(got.body["system"][:60]), "ephemeral", "of six, the last four")
	require.Empty(t, got.header.Values("X-Api-Key"), "no key, no header")
	require.Equal(t, "4096", string(got.body["max_tokens"]), "the API wants a limit")
	require.Equal(t, "0", string(got.body["temperature"]), "0 is sent as 0")
}

// A request is worded as each generation of models takes it.
func TestWire_Families(t *testing.T) {
	t.Parallel()
	const (
		forced  = `{"type":"tool","name":"forge_answer","disable_parallel_tool_use":true}`
		form    = `{"type":"json_schema","schema":` + shape + `}`
		manual  = `{"type":"enabled","budget_tokens":9000}`
		adapts  = `{"type":"adaptive"}`
		off     = `{"type":"disabled"}`
		between = `{"type":"between_tools"}`
	)
	type wants struct {
		Temperature, Choice, Format string // of a request with a schema
		Thinking, Effort            string // of one that lets it think 9000 tokens
		Rest, RestEffort            string // of one that does not
		UseTool                     string // of one that forces a tool
	}
	const use = `{"type":"tool","name":"weather"}`
	first := wants{"0", forced, "", manual, "", "", "", use}
	four5 := wants{"0", "", form, manual, "", "", "", use}
	four6 := wants{"0", "", form, adapts, `"high"`, "", "", use}
	four7 := wants{"", "", form, adapts, `"high"`, "", "", use}
	five := wants{"", "", form, adapts, `"high"`, off, "", use}
	always := wants{"", "", form, adapts, `"high"`, "", `"low"`, ""}
	tests := map[string]wants{
		"MiniMax-M2": first, "claude-2.1": first, "claude-instant-1.2": first, "claude-3-5-sonnet-20241022": first, old: first, "claude-3-opus-20240229": first,
		"claude-sonnet-4-20250514": first, "us.anthropic.claude-opus-4-20250514-v1:0": first, "claude-opus-4-1": first, "claude-opus-4-1@20250805": first,
		"claude-sonnet-4-5-20250929": four5, "anthropic/claude-haiku-4.5": four5, "Claude-Opus-4-5": four5,
		"claude-opus-4-6": four6, "claude-sonnet-4-6": four6,
		"claude-opus-4-7": four7, "claude-opus-4-8": four7,
		"claude-opus-5": five, "claude-sonnet-5": five, "claude-haiku-5-5": five,
		"claude-fable-5": {"", "", form, adapts, `"high"`, "", `"low"`, use}, "claude-mythos-preview": always, "claude-fable-5-1": always, "claude-opus-5-5": always, "claude-cantata-9": always,
		"claude-sonnet-5-5": {"", "", form, adapts, `"high"`, between, "", ""},
	}
	for model, want := range tests {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			r.Schema, r.SchemaName = json.RawMessage(shape), "executor_reply"
			got := capture(t, wire.Options{Model: model}, r)
			require.Equal(t, want.Temperature, string(got.body["temperature"]))
			equalJSON(t, want.Choice, got.body["tool_choice"])
			equalJSON(t, want.Format, sub(got.body["output_config"], "format"))
			require.Equal(t, want.Choice != "", strings.Contains(string(got.body["tools"]), `"input_schema":`+shape), "as it is written")
			equalJSON(t, want.Rest, got.body["thinking"])
			equalJSON(t, want.RestEffort, sub(got.body["output_config"], "effort"))
			require.Equal(t, "4096", string(got.body["max_tokens"]))

			r.Thinking = 9000
			got = capture(t, wire.Options{Model: model}, r)
			equalJSON(t, want.Thinking, got.body["thinking"])
			equalJSON(t, want.Effort, sub(got.body["output_config"], "effort"))
			require.Equal(t, "13096", string(got.body["max_tokens"]), "thoughts come on top of the answer")
			require.Empty(t, got.body["temperature"], "none goes with thinking")
			require.Empty(t, got.body["tool_choice"], "nothing can be forced on who thinks")

			r = ask("n")
			r.Tools, r.UseTool = []llm.ToolDef{{Name: "noon"}, weather}, "weather"
			got = capture(t, wire.Options{Model: model}, r)
			equalJSON(t, want.UseTool, got.body["tool_choice"])
			require.Equal(t, want.UseTool != "", strings.Contains(string(got.body["tools"]), "noon"), "on whom nothing can be forced sees one tool")
		})
	}
}

func TestWire_Thinking(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model    string
		change   func(*llm.Request)
		thinking string
		effort   string
	}{
		"the least budget": {old, func(r *llm.Request) { r.Thinking = 1 }, `{"type":"enabled","budget_tokens":1024}`, ""},
		"little effort":    {"claude-opus-4-8", func(r *llm.Request) { r.Thinking = 2048 }, `{"type":"adaptive"}`, `"low"`},
		"some effort":      {"claude-opus-4-8", func(r *llm.Request) { r.Thinking = 2049 }, `{"type":"adaptive"}`, `"medium"`},
		"not while tools are called, with a budget": {old, func(r *llm.Request) {
			r.Thinking = 2000
			r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{call("a", "{}")}}, llm.Message{Role: llm.Tool, CallID: "a", Text: "x"})
		}, "", ""},
		"while tools are called, without one": {"claude-opus-4-8", func(r *llm.Request) {
			r.Thinking = 9000
			r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{call("a", "{}")}}, llm.Message{Role: llm.Tool, CallID: "a", Text: "x"})
		}, `{"type":"adaptive"}`, `"high"`},
		"not where a tool is forced": {"claude-opus-5", func(r *llm.Request) {
			r.Thinking, r.Tools, r.UseTool = 9000, []llm.ToolDef{weather}, "weather"
		}, `{"type":"disabled"}`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			test.change(&r)
			got := capture(t, wire.Options{Model: test.model}, r)
			equalJSON(t, test.thinking, got.body["thinking"])
			equalJSON(t, test.effort, sub(got.body["output_config"], "effort"))
		})
	}
}

// Who thinks unasked needs room for it.
func TestWire_ThinksUnasked(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{
		"claude-mythos-1": true, "claude-opus-9": true, "MiniMax-M2.7": true, "claude-opus-4-8": false, "claude-3-5-haiku-20241022": false, "glm-4.6": false,
	} {
		require.Equal(t, want, anthropic.New(wire.Options{Model: model}).Thinks(), model)
	}
}

func TestWire_ASchemaAndToolsTogether(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.Schema, r.Tools = json.RawMessage(shape), []llm.ToolDef{weather}
	got := capture(t, wire.Options{Model: old}, r)
	require.JSONEq(t, `{"type":"any"}`, string(got.body["tool_choice"]), "it answers or asks, by a tool in both cases")
	require.Less(t, strings.Index(string(got.body["tools"]), "weather"), strings.Index(string(got.body["tools"]), "forge_answer"))
}

// A request that cannot be worded is refused before anything is sent.
func TestWire_RequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*llm.Request)
		says   string
	}{
		"a schema that is none": {func(r *llm.Request) { r.Schema = json.RawMessage(`{"type":`) }, "schema of the answer is not JSON"},
		"a tool's schema":       {func(r *llm.Request) { r.Tools = []llm.ToolDef{{Name: "x", Schema: json.RawMessage(`[]`)}} }, `schema of the tool "x"`},
		"the name of ours":      {func(r *llm.Request) { r.Tools = []llm.ToolDef{{Name: "forge_answer"}} }, "may not be called"},
		"arguments":             {func(r *llm.Request) { r.Messages[0].Calls = []llm.ToolCall{call("a", `1`)} }, `arguments of the call of "weather"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			test.change(&r)
			_, err := client(t, handled(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }), old).Complete(t.Context(), r, nil)
			require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func equalJSON(t *testing.T, want string, got json.RawMessage) {
	t.Helper()
	if want == "" {
		require.Empty(t, string(got))
		return
	}
	require.JSONEq(t, want, string(got))
}

func sub(object json.RawMessage, field string) json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields)
	return fields[field]
}

func TestWire_BaseURLs(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://h:1": "/v1/messages", "http://h:1/": "/v1/messages", " http://h:1/v1/ ": "/v1/messages", "http://h:1/anthropic": "/anthropic/v1/messages", "http://h:1/anthropic/v1": "/anthropic/v1/messages",
	} {
		got := capture(t, wire.Options{BaseURL: base, Model: "m"}, ask("n"))
		require.Equal(t, want, got.path, base)
		require.Equal(t, "h:1", got.host)
	}
}

func TestWire_TagsAreForLoopbackOnly(t *testing.T) {
	t.Parallel()
	local := capture(t, wire.Options{BaseURL: "http://127.0.0.1:1", Model: "m", TagRequests: true}, ask("review"))
	require.Equal(t, "review", local.header.Get("X-Forge-Node"))
	far := capture(t, wire.Options{BaseURL: "https://api.example.com", Model: "m", TagRequests: true}, ask("review"))
	require.Empty(t, far.header.Values("X-Forge-Node"))
}

func TestWire_NameShowsNoPassword(t *testing.T) {
	t.Parallel()
	require.Equal(t, "claude-x at api.anthropic.com", anthropic.New(wire.Options{Model: "claude-x"}).Name())
	require.Equal(t, "m at h:1", anthropic.New(wire.Options{Model: "m", BaseURL: "http://me:secret@h:1/v1"}).Name())
}

// The library would read all of these by itself.
func TestWire_TheEnvironmentIsNotRead(t *testing.T) {
	elsewhere := handled(t, func(http.ResponseWriter, *http.Request) { t.Error("asked where the environment says") })
	for name, value := range map[string]string{
		"ANTHROPIC_BASE_URL": elsewhere, "ANTHROPIC_API_KEY": "sk-from-environment", "ANTHROPIC_AUTH_TOKEN": "token-from-environment",
		"ANTHROPIC_CUSTOM_HEADERS": "X-From: environment", "ANTHROPIC_PROFILE": "from-environment", "ANTHROPIC_CONFIG_DIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	got := capture(t, wire.Options{Model: "m"}, ask("n"))
	require.Equal(t, "api.anthropic.com", got.host)
	require.NotContains(t, fmt.Sprint(got.header), "nvironment")
	require.Empty(t, got.header.Values("Authorization"))
	got = capture(t, wire.Options{Model: "m", Key: key}, ask("n"))
	require.Equal(t, []string{key}, got.header.Values("X-Api-Key"))
	require.Empty(t, got.header.Values("Authorization"))
}

func TestWire_CancelBeforeTheCall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client(t, handled(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }), old).Complete(ctx, ask("n"), nil)
	require.ErrorIs(t, err, context.Canceled)
}
