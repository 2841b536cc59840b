package openai_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// answers is a handler that gives one status and body.
func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func chunks(events ...string) http.HandlerFunc {
	return sent("data: " + strings.Join(events, "\n\ndata: ") + "\n\n")
}

func TestFailure_MapsServerErrors(t *testing.T) {
	t.Parallel()
	const begun = `{"choices":[{"delta":{"content":"par"}}]}`
	tests := map[string]struct {
		handler http.HandlerFunc
		kind    llm.Kind
		says    string
	}{
		"OpenAI's wrong key": {
			answers(401, `{"error":{"message":"Incorrect API key provided: `+key+`","type":"invalid_request_error","code":"invalid_api_key"}}`),
			llm.KindAuth, "does not accept the key: Incorrect API key provided: [key]",
		},
		"a key that the cut goes through": {
			answers(401, `{"error":{"message":"`+strings.Repeat("x", 290)+key+`"}}`), llm.KindAuth, "xx[key]",
		},
		"the key in a redirect": {
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+key+".example.com/", http.StatusFound)
			},
			llm.KindInvalid, "redirects to",
		},
		"the key in plain text":         {answers(400, "bad header: Bearer "+key), llm.KindInvalid, "Bearer [key]"},
		"the key in a stream":           {chunks(`{"error":{"message":"for ` + key + `"}}`), llm.KindTransient, "for [key]"},
		"the key in a finish reason":    {chunks(`{"choices":[{"delta":{},"finish_reason":"`+key+`"}]}`, "[DONE]"), llm.KindInvalid, "[key]"},
		"the key in a refusal":          {chunks(`{"choices":[{"delta":{"refusal":"`+key+`"},"finish_reason":"stop"}]}`, "[DONE]"), llm.KindRefused, "declined: [key]"},
		"OpenAI's quota":                {answers(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`), llm.KindAuth, "no quota or credit left"},
		"payment":                       {answers(402, `{"error":{"message":"add credit"}}`), llm.KindAuth, "no quota or credit left: add credit"},
		"OpenAI's unknown model":        {answers(404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}`), llm.KindInvalid, `has no model called "scripted"`},
		"Ollama's unknown model":        {answers(404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}`), llm.KindInvalid, `has no model called "scripted"`},
		"vLLM's unknown model":          {answers(404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`), llm.KindInvalid, `has no model called "scripted"`},
		"wrong path":                    {answers(404, "404 page not found"), llm.KindInvalid, "usually ends in /v1"},
		"a login page in the way":       {answers(403, "<html><title>Log in</title>"), llm.KindAuth, "gave no reason"},
		"OpenAI's overflow":             {answers(400, `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`), llm.KindOverflow, "too long"},
		"OpenAI's thoughts":             {answers(400, `{"error":{"message":"Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.","type":"invalid_request_error"}}`), llm.KindLength, "higher max_tokens"},
		"vLLM's overflow":               {answers(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`), llm.KindOverflow, "4096"},
		"llama.cpp's overflow":          {answers(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), llm.KindOverflow, "context size"},
		"a filter":                      {answers(400, `{"error":{"message":"filtered","code":"content_filter"}}`), llm.KindRefused, "filtered"},
		"FastAPI's detail":              {answers(422, `{"detail":[{"msg":"field required"}]}`), llm.KindInvalid, "field required"},
		"Gemini's list":                 {answers(400, `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`), llm.KindInvalid, "bad"},
		"no words":                      {answers(500, ""), llm.KindTransient, "gave no reason"},
		"terminal codes are made inert": {answers(500, "\x1b[31mred\u202e"), llm.KindTransient, `\u001b[31mred\u202e`},
		"a web page":                    {answers(200, "<!DOCTYPE html>\n<p>Welcome"), llm.KindInvalid, "sent a web page): check the base URL"},
		"one document":                  {answers(200, `{"choices":[{"message":{"content":"hi"}}]}`), llm.KindInvalid, "one JSON document instead of a stream"},
		"plain text":                    {answers(200, "It works!"), llm.KindInvalid, "sent text"},
		"LM Studio's error with 200":    {answers(200, `{"error":"Unexpected endpoint or method."}`), llm.KindInvalid, "Unexpected endpoint"},
		"nothing":                       {answers(200, ""), llm.KindTruncated, "broke off"},
		"no content":                    {answers(204, ""), llm.KindTruncated, "broke off"},
		"error in the stream":           {chunks(begun, `{"error":{"message":"overloaded","type":"server_error"}}`), llm.KindTransient, "overloaded"},
		"status in the stream":          {chunks(begun, `{"error":{"message":"slow down","code":429}}`), llm.KindRateLimited, "slow down"},
		"overflow in the stream":        {chunks(begun, `{"error":{"message":"context length exceeded"}}`), llm.KindOverflow, "context length"},
		"error behind a comment":        {sent(": ping\n\ndata: {\"error\":{\"message\":\"lost\"}}\n\n"), llm.KindTransient, "lost"},
		"end without a reason":          {chunks(begun, "[DONE]"), llm.KindTruncated, "broke off"},
		"malformed":                     {chunks(begun, `{"choices":[}`), llm.KindInvalid, "malformed JSON at byte"},
		"a wrong type":                  {chunks(`{"choices":"none"}`), llm.KindInvalid, "invalid value"},
		"a tool that was not offered":   {chunks(`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`), llm.KindInvalid, `"tool_calls"`},
		"text behind the end": {
			chunks(`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{"content":"b"}}]}`), llm.KindInvalid, "followed the end",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, handled(t, test.handler)).Complete(t.Context(), ask("n"), nil)
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Contains(t, err.Error(), test.says)
			require.NotContains(t, err.Error(), key[:10])
			require.Regexp(t, `^model scripted( at 127\.0\.0\.1:\d+)?: `, err.Error())
			require.Equal(t, 1, strings.Count(err.Error(), "127.0.0.1:"), "the host is named, once: %v", err)
		})
	}
}

func TestFailure_ToleratesUnusualAnswers(t *testing.T) {
	t.Parallel()
	const end = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	tests := map[string]struct {
		handler http.HandlerFunc
		text    string
		usage   llm.Usage
	}{
		"double end":     {chunks(`{"choices":[{"delta":{"content":"a"}}]}`, end, end, "[DONE]", "[DONE]"), "a", llm.Usage{}},
		"other choices":  {chunks(`{"choices":[{"index":1,"delta":{"content":"b"}},{"delta":{"content":"a"}}]}`, end), "a", llm.Usage{}},
		"no choices yet": {chunks(`{"choices":[],"prompt_filter_results":[]}`, `{"choices":[{"delta":{"content":"a"}}]}`, end), "a", llm.Usage{}},
		"no text":        {chunks(end, "[DONE]"), "", llm.Usage{}},
		"another end":    {chunks(`{"choices":[{"delta":{"content":"a"},"finish_reason":"eos_token"}]}`), "a", llm.Usage{}},
		"a thousand pings": {
			sent(strings.Repeat(": ping\n\n", 1000) + "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"), "a", llm.Usage{},
		},
		"usage, then nothing of it": {
			chunks(end, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3}}`, `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, "[DONE]"),
			"", llm.Usage{Input: 10, Output: 3},
		},
		"usage": {
			chunks(end, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}`, "[DONE]"),
			"", llm.Usage{Input: 6, Output: 3, CacheRead: 4},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			response, err := client(t, handled(t, test.handler)).Complete(t.Context(), ask("n"), func(piece string) {
				require.NotEmpty(t, piece)
				shown.WriteString(piece)
			})
			require.NoError(t, err)
			require.Equal(t, test.text, response.Text)
			require.Equal(t, test.text, shown.String())
			require.Equal(t, llm.FinishStop, response.Finish)
			require.Equal(t, test.usage, response.Usage)
			require.Equal(t, "scripted", response.Model)
		})
	}
}

func TestFailure_Unreachable(t *testing.T) {
	t.Parallel()
	closed := handled(t, sent(whole))
	tests := map[string]struct {
		base string
		kind llm.Kind
		says string
	}{
		"nothing listens":    {"http://127.0.0.1:1/v1", llm.KindTransient, "nothing listens at 127.0.0.1:1"},
		"not a URL":          {"127.0.0.1", llm.KindInvalid, "could not be sent"},
		"unknown scheme":     {"ftp://h/v1", llm.KindInvalid, "could not be sent"},
		"no TLS there":       {strings.Replace(closed, "http:", "https:", 1), llm.KindInvalid, "could not be sent"},
		"password in it":     {"http://me:" + key + "@127.0.0.1:1/v1", llm.KindTransient, "nothing listens at 127.0.0.1:1"},
		"unparsable":         {"http://[" + key, llm.KindInvalid, "could not be sent"},
		"control characters": {"http://h/\x7f" + key, llm.KindInvalid, "could not be sent"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, test.base).Complete(t.Context(), ask("n"), nil)
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Contains(t, err.Error(), test.says)
		})
	}
}

func TestFailure_RedirectsCarryNothingAway(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	elsewhere := handled(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	for _, status := range []int{301, 302, 307, 308} {
		base := handled(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, status) })
		_, err := client(t, base).Complete(t.Context(), ask("n"), nil)
		require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	}
	require.Zero(t, followed.Load(), "the prompt followed a redirect")
}

func TestFailure_Models(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		want    []string
		says    string
	}{
		"some":         {answers(200, `{"object":"list","data":[{"id":"b"},{"id":"a"}]}`), []string{"b", "a"}, ""},
		"none":         {answers(200, `{"object":"list","data":null}`), []string{}, ""},
		"odd names":    {answers(200, `{"data":[{"id":""},{"id":"a\u001b[2J"},{"id":"\u202eb"},{"id":"c"}]}`), []string{"c"}, ""},
		"a web server": {answers(200, "<html>"), nil, "malformed JSON"},
		"wrong path":   {answers(404, "nothing here"), nil, "404"},
		"redirect":     {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, nil, "redirects"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client(t, handled(t, test.handler)).Models(t.Context())
			require.Equal(t, test.want, got)
			if test.says != "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
		})
	}
}
