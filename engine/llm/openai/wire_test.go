package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

const whole = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// seen is a request as it arrived.
type seen struct {
	header http.Header
	body   map[string]json.RawMessage
	path   string
}

// capture asks once and returns what went over the wire.
func capture(t *testing.T, options wire.Options, r llm.Request) seen {
	t.Helper()
	arrived := make(chan seen, 1)
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		got := seen{header: r.Header, path: r.URL.Path}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &got.body)
		arrived <- got
		sent(whole)(w, r)
	})
	options.BaseURL = base + "/" // a slash too many does no harm
	c := openai.New(options)
	defer c.Close()
	_, err := c.Complete(t.Context(), r, nil)
	require.NoError(t, err)
	return <-arrived
}

// arrived is what a request is on the wire, whatever comes of it.
func arrived(t *testing.T, r llm.Request) seen {
	t.Helper()
	var got seen
	c := openai.New(wire.Options{Model: "llama3", HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		got = seen{header: r.Header, path: r.URL.Path}
		require.NoError(t, json.NewDecoder(r.Body).Decode(&got.body))
		return respond(http.StatusBadRequest, ""), nil
	})}})
	_, err := c.Complete(t.Context(), r, nil)
	require.Error(t, err)
	return got
}

func TestWire_TemperatureReachesTheWire(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model       string
		temperature float64
		want        string
	}{
		"zero":              {"llama3", 0, "0"},
		"exact":             {"llama3", 0.7, "0.7"},
		"zero for gpt-4o":   {"gpt-4o-mini", 0, "0"},
		"a name like o1's":  {"o1ive-7b", 0, "0"},
		"reasoning refuses": {"gpt-5-mini", 0, ""},
		"o3 too":            {"o3", 0.7, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			r.Temperature = test.temperature
			got := capture(t, wire.Options{Model: test.model}, r)
			require.Equal(t, test.want, string(got.body["temperature"]))
		})
	}
}

func TestWire_RequestOnTheWire(t *testing.T) {
	t.Parallel()
	r := llm.Request{
		Node: "executor", Attempt: 2, MaxTokens: 99,
		Messages:   []llm.Message{{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: `say "temperature":1`}},
		Schema:     json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`),
		SchemaName: "executor_reply",
	}
	got := capture(t, wire.Options{Model: "llama3", Key: key}, r)
	require.Equal(t, "/v1/chat/completions", got.path)
	require.Equal(t, "Bearer "+key, got.header.Get("Authorization"))
	require.JSONEq(t, `[{"role":"system","content":"Be brief."},{"role":"user","content":"say \"temperature\":1"}]`, string(got.body["messages"]))
	require.JSONEq(t, `{"type":"json_schema","json_schema":{"name":"executor_reply","strict":true,"schema":`+string(r.Schema)+`}}`,
		string(got.body["response_format"]))
	require.JSONEq(t, `{"include_usage":true}`, string(got.body["stream_options"]))
	require.Equal(t, "true", string(got.body["stream"]))
	require.Equal(t, "99", string(got.body["max_tokens"]))
	require.Empty(t, got.header.Values("X-Forge-Node"))
	require.Empty(t, got.header.Values("X-Forge-Attempt"))
}

func TestWire_ReasoningModelsGetTheirOwnNameForMaxTokens(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.MaxTokens = 99
	got := capture(t, wire.Options{Model: "gpt-5"}, r)
	require.Equal(t, "99", string(got.body["max_completion_tokens"]))
	require.NotContains(t, got.body, "max_tokens")
	require.NotContains(t, got.body, "response_format")
	require.Empty(t, got.header.Values("Authorization"))
}

func TestWire_TagsAreForLoopbackOnly(t *testing.T) {
	t.Parallel()
	local := capture(t, wire.Options{Model: "m", TagRequests: true}, ask("review"))
	require.Equal(t, "review", local.header.Get("X-Forge-Node"))
	require.Equal(t, "1", local.header.Get("X-Forge-Attempt"))

	for _, base := range []string{"https://api.example.com/v1", "https://127.example.com/v1", "https://localhost.example.com/v1"} {
		var headers http.Header
		c := openai.New(wire.Options{BaseURL: base, Model: "m", TagRequests: true, HTTP: &http.Client{
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				headers = r.Header
				return respond(http.StatusOK, whole), nil
			}),
		}})
		_, err := c.Complete(t.Context(), ask("review"), nil)
		require.NoError(t, err)
		require.Empty(t, headers.Values("X-Forge-Node"), base)
		require.Empty(t, headers.Values("X-Forge-Attempt"), base)
	}
}

func TestWire_NameShowsNoPassword(t *testing.T) {
	t.Parallel()
	require.Equal(t, "gpt-4o-mini at api.openai.com", openai.New(wire.Options{Model: "gpt-4o-mini"}).Name())
	require.Equal(t, "m at h:1", openai.New(wire.Options{Model: "m", BaseURL: "http://me:secret@h:1/v1"}).Name())
}
