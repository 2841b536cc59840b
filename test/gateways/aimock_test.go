package gateways

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

const greeting = "Hello there: a reply of some length, so that it comes in pieces. Naïve, 東京, 🎉."

// fixtures are what all three APIs of aimock answer from.
func fixtures() []fixture {
	return []fixture{
		{"match": fixture{"userMessage": "greet me"}, "response": fixture{"content": greeting}},
		{"match": fixture{"userMessage": "what is the weather"}, "response": fixture{"toolCalls": []fixture{
			{"name": "weather", "arguments": fixture{"city": "Paris"}}, {"name": "clock", "arguments": fixture{"zone": "CET"}},
		}}},
		{"match": fixture{"userMessage": "are you busy", "sequenceIndex": 0}, "response": fixture{
			"error": fixture{"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1,
		}},
		{"match": fixture{"userMessage": "are you busy"}, "response": fixture{"content": "Not any more."}},
		{"match": fixture{"userMessage": "fail"}, "response": fixture{"error": fixture{"message": "no luck", "type": "server_error"}, "status": 503}},
		{"match": fixture{"userMessage": "talk for ever"}, "response": fixture{"content": "And then", "finishReason": "length"}},
	}
}

// speakers are our adapters, each at one API of the server.
func speakers(t *testing.T, url string) map[string]llm.Model {
	t.Helper()
	o := openai.New(wire.Options{BaseURL: url + "/v1", Key: gatewayKey, Model: "gpt-4o"})
	a := anthropic.New(wire.Options{BaseURL: url, Key: gatewayKey, Model: "claude-3-5-sonnet-20241022"})
	l := ollama.New(ollama.Options{Options: wire.Options{BaseURL: url, Model: "llama3"}})
	t.Cleanup(func() { o.Close(); a.Close(); l.Close() })
	return map[string]llm.Model{"openai": o, "anthropic": a, "ollama": l}
}

func tools(r llm.Request) llm.Request {
	object := func(field string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"` + field + `":{"type":"string"}},"required":["` + field + `"],"additionalProperties":false}`)
	}
	r.Tools = []llm.ToolDef{
		{Name: "weather", Description: "Tells the weather.", Schema: object("city")},
		{Name: "clock", Description: "Tells the time.", Schema: object("zone")},
	}
	return r
}

func TestAimock_AnswersEveryProtocol(t *testing.T) {
	t.Parallel()
	url := aimock(t, fixtures()...)
	for name, model := range speakers(t, url) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, whole := range []bool{false, true} {
				r := ask("greet me")
				r.Whole = whole
				response, shown := told(t.Context(), t, model, r)
				require.Equal(t, greeting, response.Text)
				require.Equal(t, llm.FinishStop, response.Finish)
				if !whole {
					require.Equal(t, greeting, shown)
				}

				r = tools(ask("what is the weather"))
				r.Whole = whole
				response, _ = told(t.Context(), t, model, r)
				require.Equal(t, llm.FinishTools, response.Finish)
				require.Len(t, response.Calls, 2)
				require.Equal(t, "weather", response.Calls[0].Name)
				require.JSONEq(t, `{"city":"Paris"}`, string(response.Calls[0].Arguments))
				require.Equal(t, "clock", response.Calls[1].Name)
				require.JSONEq(t, `{"zone":"CET"}`, string(response.Calls[1].Arguments))
				require.NotEqual(t, response.Calls[0].ID, response.Calls[1].ID)

				r = ask("fail")
				r.Whole = whole
				require.Equal(t, llm.KindTransient, failed(t, model, r).Kind)

				r = ask("talk for ever")
				r.Whole = whole
				if name != "ollama" { // aimock ends every answer of Ollama's with "stop"
					require.Equal(t, llm.KindLength, failed(t, model, r).Kind)
				}

				r = ask("what nobody wrote an answer for")
				r.Whole = whole
				require.NotEqual(t, llm.KindTruncated, failed(t, model, r).Kind)
			}
		})
	}
}

// The first call is refused for a second: the next one comes after it, and there is no third.
func TestAimock_RetryWaitsAsAsked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openai", "anthropic", "ollama"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := aimock(t, fixtures()...)
			response, _ := told(t.Context(), t, llm.Retry(speakers(t, url)[name], llm.Policy{}), ask("are you busy"))
			require.Equal(t, "Not any more.", response.Text)
			calls := journal(t, url)
			require.Len(t, calls, 2)
			require.Equal(t, 429, calls[0].Response.Status)
			require.GreaterOrEqual(t, calls[1].Timestamp-calls[0].Timestamp, float64(time.Second.Milliseconds()))
		})
	}
}

// aimock records the complete request, including the fields that a library's defaults would drop.
func TestAimock_ReceivesTheFullRequest(t *testing.T) {
	t.Parallel()
	url := aimock(t, fixtures()...)
	models := speakers(t, url)
	told(t.Context(), t, models["openai"], ask("greet me"))
	told(t.Context(), t, models["anthropic"], ask("greet me"))
	told(t.Context(), t, models["ollama"], ask("greet me"))
	calls := journal(t, url)
	require.Len(t, calls, 3)
	require.Equal(t, "/v1/chat/completions", calls[0].Path)
	require.JSONEq(t, "0", string(calls[0].Body["temperature"]))
	require.Equal(t, "/v1/messages", calls[1].Path)
	require.Contains(t, string(mustJSON(t, calls[1].Body)), "greet me")
	require.Equal(t, "/api/chat", calls[2].Path)
	for _, call := range calls[:2] {
		require.Equal(t, "call-1", call.Headers["idempotency-key"])
		require.NotContains(t, string(mustJSON(t, call.Body)), gatewayKey)
	}
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return encoded
}
