package anthropic_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

func complaint(kind, text string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_1"}`
}

// A status means the same for a stream and for a document.
func TestFailure_MapsServerErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status     int
		body, says string
		kind       llm.Kind
	}{
		"wrong key":              {401, complaint("authentication_error", "invalid x-api-key "+key), "does not accept the key: invalid x-api-key [key]", llm.KindAuth},
		"not permitted":          {403, complaint("permission_error", "no such workspace"), "does not let this key do that: no such workspace", llm.KindAuth},
		"no credit":              {400, complaint("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), "no quota or credit left: Your credit", llm.KindAuth},
		"spent":                  {400, complaint("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01."), "no quota or credit left", llm.KindAuth},
		"billing":                {402, complaint("billing_error", "pay"), "no quota or credit left: pay", llm.KindAuth},
		"unknown model":          {404, complaint("not_found_error", "model: claude-9 not found"), `has no model called "` + old + `"`, llm.KindInvalid},
		"wrong path":             {404, "404 page not found", "usually is a host without a path", llm.KindInvalid},
		"too large":              {413, complaint("request_too_large", "Request exceeds the maximum size"), "maximum size", llm.KindOverflow},
		"too large, from a page": {413, "<html>413", "gave no reason", llm.KindOverflow},
		"prompt too long":        {400, complaint("invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum"), "200001", llm.KindOverflow},
		"no room for the answer": {400, complaint("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"), "exceed", llm.KindOverflow},
		"rate":                   {429, complaint("rate_limit_error", "slow down"), "slow down", llm.KindRateLimited},
		"malformed":              {400, complaint("invalid_request_error", "messages: at least one message is required"), "at least one", llm.KindInvalid},
		"internal":               {500, complaint("api_error", "Internal server error"), "Internal", llm.KindTransient},
		"gateway":                {502, "<html>Bad gateway", "gave no reason", llm.KindTransient},
		"too slow":               {504, complaint("timeout_error", "Timed out"), "Timed out", llm.KindTransient},
		"overloaded":             {529, complaint("overloaded_error", "Overloaded"), "Overloaded", llm.KindTransient},
		"terminal codes":         {500, "\x1b[31mred\u202e", `\u001b[31mred\u202e`, llm.KindTransient},
		"a key that the cut goes through": {
			400, complaint("invalid_request_error", strings.Repeat("x", 290)+key), "xx[key]", llm.KindInvalid,
		},
	}
	for name, test := range tests {
		for way, whole := range map[string]bool{"stream": false, "whole": true} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				r := ask("n")
				r.Whole = whole
				_, err := client(t, handled(t, answers(test.status, test.body)), old).Complete(t.Context(), r, nil)
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind, "%v", err)
				require.Equal(t, test.status, failed.Status)
				require.ErrorContains(t, err, test.says)
				require.NotContains(t, err.Error(), key[:12])
				require.Regexp(t, "^model "+old+`( at 127\.0\.0\.1:\d+)?: `, err.Error())
				require.Equal(t, 1, strings.Count(err.Error(), "127.0.0.1:"), "the host is named, once: %v", err)
			})
		}
	}
}

func TestFailure_RetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "3600": time.Hour, now.Add(9 * time.Second).Format(http.TimeFormat): 9 * time.Second,
	} {
		var calls atomic.Int32
		base := handled(t, func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.Header().Set("Retry-After", value)
			w.Header().Set("X-Should-Retry", "true") // it is the library that would heed this
			answers(http.StatusTooManyRequests, complaint("rate_limit_error", "slow down"))(w, nil)
		})
		c := anthropic.New(wire.Options{BaseURL: base, Model: "m", Now: func() time.Time { return now }})
		_, err := c.Complete(t.Context(), ask("n"), nil)
		c.Close()
		require.Equal(t, want, failure(t, err).RetryAfter, value)
		require.EqualValues(t, 1, calls.Load(), "nothing is called twice")
	}
}

// Errors in the middle of a stream, and good statuses over bodies that are no answer.
func TestFailure_RecognisesErrorsWithAGoodStatus(t *testing.T) {
	t.Parallel()
	start := begun + opened(0, `{"type":"text","text":""}`) + text(0, "par")
	broken := func(kind, text string) string { return start + event(complaint(kind, text)) }
	tests := map[string]struct {
		body, says string
		kind       llm.Kind
	}{
		"overloaded":          {broken("overloaded_error", "Overloaded"), "Overloaded", llm.KindTransient},
		"internal":            {broken("api_error", "oops"), "oops", llm.KindTransient},
		"too slow":            {broken("timeout_error", "late"), "late", llm.KindTransient},
		"rate":                {broken("rate_limit_error", "slow down"), "slow down", llm.KindRateLimited},
		"malformed request":   {broken("invalid_request_error", "bad"), "bad", llm.KindInvalid},
		"overflow":            {broken("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum"), "5 tokens", llm.KindOverflow},
		"too large":           {broken("request_too_large", "big"), "big", llm.KindOverflow},
		"wrong key":           {broken("authentication_error", "no "+key), "does not accept the key: no [key]", llm.KindAuth},
		"not permitted":       {broken("permission_error", "no"), "does not accept", llm.KindAuth},
		"billing":             {broken("billing_error", "pay"), "no quota", llm.KindAuth},
		"gone":                {broken("not_found_error", "the model is gone"), "gone", llm.KindInvalid},
		"end without reason":  {start + closed(0) + stopped, "broke off", llm.KindTruncated},
		"reason in the open":  {start + ended("end_turn") + stopped, "broke off", llm.KindTruncated},
		"half an event":       {start + event(`{"type":`), "broke off", llm.KindTruncated},
		"malformed JSON":      {start + event(`{"type":}`), "malformed JSON at byte", llm.KindInvalid},
		"text that is none":   {start + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}`), "not text", llm.KindInvalid},
		"input that is none":  {start + event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":{}}}`), "not text", llm.KindInvalid},
		"a piece of nothing":  {begun + text(0, "a"), "part 0", llm.KindInvalid},
		"a piece too late":    {start + closed(0) + text(0, "a"), "part 0", llm.KindInvalid},
		"a part twice":        {start + opened(0, `{"type":"text","text":""}`), "began twice", llm.KindInvalid},
		"text behind the end": {said("end_turn", "a") + opened(1, `{"type":"text","text":"b"}`), "followed the end", llm.KindInvalid},
		"a web page":          {"<!DOCTYPE html>\n<p>Log in", "sent a web page): check the base URL", llm.KindInvalid},
		"one document":        {message("end_turn", ""), "one JSON document instead of a stream", llm.KindInvalid},
		"an error instead":    {complaint("invalid_request_error", "no such endpoint"), "no such endpoint", llm.KindInvalid},
		"OpenAI's events":     {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "", llm.KindInvalid},
		"nothing":             {"", "broke off", llm.KindTruncated},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client(t, handled(t, sent(test.body)), old).Complete(t.Context(), ask("n"), nil)
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
			if strings.HasPrefix(test.body, start) {
				require.Equal(t, "par", got.Text, "what there is of it is kept")
			}
		})
	}
}

func TestFailure_RejectsDocumentsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, says string
		kind       llm.Kind
	}{
		"a web page":        {"<!DOCTYPE html>\n<p>Log in", "sent a web page): check the base URL", llm.KindInvalid},
		"a stream":          {said("end_turn", "a"), "", llm.KindInvalid},
		"null":              {"null", "sent text", llm.KindInvalid},
		"a list":            {"[]", "", llm.KindInvalid},
		"another document":  {`{"object":"chat.completion","choices":[]}`, "not an answer", llm.KindInvalid},
		"an error instead":  {complaint("invalid_request_error", "no such endpoint"), "no such endpoint", llm.KindInvalid},
		"content as text":   {`{"type":"message","role":"assistant","content":"hi","stop_reason":"end_turn"}`, "", llm.KindInvalid},
		"an error of its":   {complaint("api_error", "oops"), "oops", llm.KindTransient},
		"overloaded":        {complaint("overloaded_error", "Overloaded"), "Overloaded", llm.KindTransient},
		"an empty object":   {"{}", "broke off", llm.KindTruncated},
		"half a document":   {`{"type":`, "broke off", llm.KindTruncated},
		"no reason to stop": {strings.Replace(message("end_turn", ""), `"end_turn"`, "null", 1), "broke off", llm.KindTruncated},
		"nothing":           {"", "broke off", llm.KindTruncated},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			r.Whole = true
			_, err := client(t, handled(t, answers(200, test.body)), old).Complete(t.Context(), r, nil)
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// A model that does not take a part of a request says which, so that it can be asked without.
func TestFailure_RecognisesUnsupportedFeatures(t *testing.T) {
	t.Parallel()
	everything := func() llm.Request {
		r := ask("n")
		r.Thinking, r.Schema, r.Tools = 2000, []byte(shape), []llm.ToolDef{weather}
		return r
	}
	tests := map[string]struct {
		says string
		r    llm.Request
		want llm.Feature
	}{
		"temperature":          {"`temperature` is deprecated for this model.", everything(), llm.FeatureTemperature},
		"temperature, unknown": {"temperature: Extra inputs are not permitted", ask("n"), llm.FeatureTemperature},
		"temperature, range":   {"temperature: range: 0..1", ask("n"), ""},
		"thinking":             {"thinking: Extra inputs are not permitted", everything(), llm.FeatureThinking},
		"budget":               {`\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\"`, everything(), llm.FeatureThinking},
		"effort":               {"This model does not support the effort parameter.", everything(), llm.FeatureThinking},
		"thinking, its budget": {"`max_tokens` must be greater than `thinking.budget_tokens`", everything(), ""},
		"format":               {"output_config.format: Extra inputs are not permitted", everything(), llm.FeatureSchema},
		"grammar":              {"The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas.", everything(), llm.FeatureSchema},
		"schema":               {"output_config.format.schema: For 'integer' type, properties maximum, minimum are not supported", everything(), llm.FeatureSchema},
		"tools":                {"tools: Extra inputs are not permitted", everything(), llm.FeatureTools},
		"tools, other words":   {"this model does not support tools", everything(), llm.FeatureTools},
		"something else":       {"messages: roles must alternate", everything(), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, handled(t, answers(400, complaint("invalid_request_error", test.says))), old).Complete(t.Context(), test.r, nil)
			failed := failure(t, err)
			require.Equal(t, test.want, failed.Feature, "%v", err)
			require.Equal(t, test.want != "", failed.Kind == llm.KindUnsupported)
		})
	}
}

func TestFailure_Unreachable(t *testing.T) {
	t.Parallel()
	closed := handled(t, sent(said("end_turn", "a")))
	tests := map[string]struct {
		base, says string
		kind       llm.Kind
	}{
		"nothing listens":    {"http://127.0.0.1:1", "nothing listens at 127.0.0.1:1", llm.KindTransient},
		"not a URL":          {"127.0.0.1", "", llm.KindInvalid},
		"unknown scheme":     {"ftp://h", "could not be sent", llm.KindInvalid},
		"no TLS there":       {strings.Replace(closed, "http:", "https:", 1), "could not be sent", llm.KindInvalid},
		"password in it":     {"http://me:" + key + "@127.0.0.1:1", "nothing listens at 127.0.0.1:1", llm.KindTransient},
		"unparsable":         {"http://[" + key, "not a URL", llm.KindInvalid},
		"control characters": {"http://h/\x7f" + key, "not a URL", llm.KindInvalid},
	}
	for name, test := range tests {
		for way, whole := range map[string]bool{"stream": false, "whole": true} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				c := anthropic.New(wire.Options{BaseURL: test.base, Model: "m"}) // without a key to redact
				defer c.Close()
				r := ask("n")
				r.Whole = whole
				_, err := c.Complete(t.Context(), r, nil)
				require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
				require.ErrorContains(t, err, test.says)
			})
		}
	}
}

func TestFailure_UntrustedCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(sent(said("end_turn", "a")))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about the client's distrust
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := client(t, server.URL, old).Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	require.ErrorContains(t, err, "SSL_CERT_FILE")
}

func TestFailure_RedirectsCarryNothingAway(t *testing.T) {
	t.Parallel()
	elsewhere := handled(t, func(http.ResponseWriter, *http.Request) { t.Error("the prompt followed a redirect") })
	for _, status := range []int{301, 302, 307, 308} {
		base := handled(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, status) })
		_, err := client(t, base, old).Complete(t.Context(), ask("n"), nil)
		require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
		require.ErrorContains(t, err, "redirects to")
	}
}

func TestFailure_Models(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		want    []string
		says    string
	}{
		"some": {answers(200, `{"data":[{"type":"model","id":"b"},{"id":"a"}],"has_more":false}`), []string{"b", "a"}, ""},
		"two pages": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("after_id") == "b" {
				answers(200, `{"data":[{"id":"a"}],"has_more":false,"last_id":"a"}`)(w, r)
				return
			}
			answers(200, `{"data":[{"id":"b"}],"has_more":true,"last_id":"b"}`)(w, r)
		}, []string{"b", "a"}, ""},
		"the same page again and again": {answers(200, `{"data":[{"id":"b"}],"has_more":true,"last_id":"b"}`), []string{"b", "b"}, ""},
		"none":                          {answers(200, `{"data":[],"has_more":false}`), []string{}, ""},
		"odd names":                     {answers(200, `{"data":[{"id":""},{"id":"a\u001b[2J"},{"id":"\u202eb"},{"id":"c"}]}`), []string{"c"}, ""},
		"a web server":                  {answers(200, "<html>"), nil, "sent a web page"},
		"wrong key":                     {answers(401, complaint("authentication_error", key)), nil, "does not accept the key: [key]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client(t, handled(t, test.handler), "any").Models(t.Context())
			require.Equal(t, test.want, got)
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.says)
			failure(t, err)
		})
	}
}
