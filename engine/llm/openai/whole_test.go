package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// entire asks for the answer in one piece.
func entire(node string) llm.Request {
	r := ask(node)
	r.Whole = true
	return r
}

func TestWhole_OnTheWire(t *testing.T) {
	t.Parallel()
	got := arrived(t, entire("n"))
	require.Equal(t, "false", string(got.body["stream"]))
	require.NotContains(t, got.body, "stream_options")
	require.Equal(t, "application/json", got.header.Get("Accept"))
	require.Equal(t, "/v1/chat/completions", got.path)
	require.Equal(t, "0", string(got.body["temperature"]))
}

func TestWhole_RejectsInvalidAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		kind    llm.Kind
		says    string
	}{
		"a web page":              {answers(200, "<!DOCTYPE html>\n<p>Welcome"), llm.KindInvalid, "sent a web page): check the base URL"},
		"words":                   {answers(200, "It works!"), llm.KindInvalid, "sent text"},
		"nothing":                 {answers(200, ""), llm.KindTruncated, "broke off"},
		"no content":              {answers(204, ""), llm.KindTruncated, "broke off"},
		"an error":                {answers(200, `{"error":{"message":"overloaded","code":503}}`), llm.KindTransient, "overloaded"},
		"LM Studio's error":       {answers(200, `{"error":"Unexpected endpoint or method."}`), llm.KindInvalid, "Unexpected endpoint"},
		"vLLM's error":            {answers(200, `{"object":"error","message":"max context length exceeded","code":400}`), llm.KindOverflow, "context length"},
		"MiniMax's error":         {answers(200, `{"choices":null,"base_resp":{"status_code":2049,"status_msg":"invalid api key: `+key+`"}}`), llm.KindAuth, "invalid api key: [key]"},
		"malformed":               {answers(200, `{"choices":[}`), llm.KindInvalid, "malformed JSON at byte"},
		"two":                     {answers(200, `{"choices":[]}{}`), llm.KindInvalid, "malformed JSON"},
		"a list":                  {answers(200, `[]`), llm.KindInvalid, "invalid value (array)"},
		"a wrong type":            {answers(200, `{"choices":"none"}`), llm.KindInvalid, "invalid value"},
		"empty choices":           {answers(200, `{"choices":[]}`), llm.KindTruncated, "broke off"},
		"no choices":              {answers(200, `{}`), llm.KindTruncated, "broke off"},
		"no finish reason":        {answers(200, `{"choices":[{"message":{"content":"par"},"finish_reason":null}]}`), llm.KindTruncated, "broke off"},
		"another choice":          {answers(200, `{"choices":[{"index":1,"message":{"content":"par"},"finish_reason":"stop"}]}`), llm.KindTruncated, "broke off"},
		"an end of its own":       {answers(200, `{"choices":[{"message":{"content":"par"},"finish_reason":"`+key+`"}]}`), llm.KindInvalid, `"[key]"`},
		"too long":                {answers(200, `{"choices":[{"message":{"content":"par"},"finish_reason":"length"}]}`), llm.KindLength, "limit"},
		"too long for Mistral":    {answers(200, `{"choices":[{"message":{"content":"par"},"finish_reason":"model_length"}]}`), llm.KindLength, "limit"},
		"given up":                {answers(200, `{"choices":[{"message":{"content":"par"},"finish_reason":"insufficient_system_resource"}]}`), llm.KindTransient, "broke the answer off"},
		"filtered":                {answers(200, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`), llm.KindRefused, "filter"},
		"declined":                {answers(200, `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`), llm.KindRefused, "declined: I will not."},
		"a stream that was begun": {sent(whole), llm.KindInvalid, "a stream instead of one JSON document"},
		"larger than it may be":   {answers(200, `{"choices":[{"message":{"content":"`+strings.Repeat("x", 17<<20)+`"},"finish_reason":"stop"}]}`), llm.KindInvalid, "longer than 16 MiB"},
		"shorter than it says": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"par"},"finish_reason":"stop"}]`))
		}, llm.KindTruncated, "broke off"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, handled(t, test.handler)).Complete(t.Context(), entire("n"), nil)
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestWhole_Answers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5<<20)
	tests := map[string]struct {
		body  string
		text  string
		usage llm.Usage
	}{
		"text":            {`{"model":"m","choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`, "hi", llm.Usage{}},
		"no text":         {`{"model":"m","choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, "", llm.Usage{}},
		"5 MB":            {`{"model":"m","choices":[{"message":{"content":"` + long + `"},"finish_reason":"stop"}]}`, long, llm.Usage{}},
		"a byte order":    {"\uFEFF" + `{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, "hi", llm.Usage{}},
		"thoughts beside": {`{"model":"m","choices":[{"message":{"content":"hi","reasoning_content":"Hm.","reasoning_details":[{"text":"Hm."}]},"finish_reason":"stop"}]}`, "hi", llm.Usage{}},
		"thoughts inside": {`{"model":"m","choices":[{"message":{"content":"<think>Hm.</think>hi"},"finish_reason":"stop"}]}`, "<think>Hm.</think>hi", llm.Usage{}},
		"parts":           {`{"model":"m","choices":[{"message":{"content":[{"type":"thinking","text":"Hm."},{"type":"text","text":"h"},{"type":"text","text":"i"}]},"finish_reason":"stop"}]}`, "hi", llm.Usage{}},
		"MiniMax": {`{"model":"m","choices":[{"finish_reason":"stop","message":{"content":"hi","name":"MiniMax AI"}}],"object":"chat.completion",
			"usage":{"total_tokens":9,"total_characters":0,"prompt_tokens":6,"completion_tokens":3},"input_sensitive":false,"base_resp":{"status_code":0,"status_msg":""}}`,
			"hi", llm.Usage{Input: 6, Output: 3}},
		"OpenAI's cache": {`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}`, "hi", llm.Usage{Input: 6, Output: 3, CacheRead: 4}},
		"DeepSeek's cache": {`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2}}`, "hi", llm.Usage{Input: 2, Output: 3, CacheRead: 8}},
		"a gateway to Anthropic": {`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":5},"cache_read_input_tokens":5,"cache_creation_input_tokens":4}}`,
			"hi", llm.Usage{Input: 1, Output: 3, CacheRead: 5, CacheWrite: 4}},
		"more cached than there was": {`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":10,"completion_tokens":-3,"prompt_tokens_details":{"cached_tokens":99}}}`, "hi", llm.Usage{CacheRead: 10}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := client(t, handled(t, answers(200, test.body))).Complete(t.Context(), entire("n"), func(string) {
				t.Error("a whole answer is not shown in pieces")
			})
			require.NoError(t, err)
			require.Equal(t, test.text, response.Text)
			require.Equal(t, test.usage, response.Usage)
			require.Equal(t, llm.FinishStop, response.Finish)
			require.Equal(t, "m", response.Model)
		})
	}
}

func TestWhole_ReasoningModels(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model     string
		thinking  int
		maxTokens int
		effort    string
		most      string // max_completion_tokens, or max_tokens
		thinks    bool
	}{
		"none asked for":           {"gpt-5", 0, 100, `"low"`, "100", true},
		"little":                   {"o3-mini", 1_000, 100, `"low"`, "1100", true},
		"some":                     {"gpt-5.1", 10_000, 100, `"medium"`, "10100", true},
		"much":                     {"gpt-6-sol", 32_000, 0, `"high"`, "", true},
		"a model that does it all": {"deepseek-reasoner", 10_000, 100, "", "10100", true},
		"a local one":              {"Qwen/Qwen3-8B", 10_000, 100, "", "10100", true},
		"one that does not":        {"qwen3-coder", 10_000, 100, "", "100", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			r.Thinking, r.MaxTokens = test.thinking, test.maxTokens
			got := capture(t, wire.Options{Model: test.model}, r)
			require.Equal(t, test.effort, string(got.body["reasoning_effort"]))
			require.Equal(t, test.most, string(got.body["max_completion_tokens"])+string(got.body["max_tokens"]))
			require.Equal(t, test.thinks, openai.New(wire.Options{Model: test.model}).Thinks())
		})
	}
}

func TestWhole_ATemperatureOfItsOwnIsNotSent(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.OwnTemperature = true
	require.NotContains(t, arrived(t, r).body, "temperature")
}
