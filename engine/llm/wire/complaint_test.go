package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// An error that comes with a good status in place of a document is tried again where it is the server's, and only there.
func TestComplaint_ErrorsWithAGoodStatus(t *testing.T) {
	t.Parallel()
	s := New(Options{BaseURL: "http://h/v1", Model: "m"}, Dialect{})
	for name, c := range map[string]struct {
		payload         string
		whole, inStream llm.Kind
	}{
		"a status as code": {`{"error":{"message":"oops","code":"502"}}`, llm.KindTransient, llm.KindTransient},
		"Anthropic's own":  {`{"type":"error","error":{"type":"api_error","message":"oops"}}`, llm.KindTransient, llm.KindTransient},
		"Anthropic's load": {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindTransient, llm.KindTransient},
		"OpenAI's own":     {`{"error":{"message":"oops","type":"server_error","code":null}}`, llm.KindTransient, llm.KindTransient},
		"Ollama's runner":  {`{"error":"llama runner process has terminated"}`, llm.KindTransient, llm.KindTransient},
		"words alone":      {`{"error":"Service temporarily unavailable"}`, llm.KindTransient, llm.KindTransient},
		"LM Studio's":      {`{"error":"Unexpected endpoint or method."}`, llm.KindInvalid, llm.KindTransient},
		"a wrong request":  {`{"error":{"type":"invalid_request_error","message":"the server error field is missing"}}`, llm.KindInvalid, llm.KindInvalid},
		"an unknown type":  {`{"error":{"type":"odd","message":"a server error"}}`, llm.KindInvalid, llm.KindTransient},
		"a wrong key":      {`{"error":{"type":"authentication_error","message":"try again"}}`, llm.KindAuth, llm.KindAuth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for inStream, want := range map[bool]llm.Kind{false: c.whole, true: c.inStream} {
				var failed *llm.Error
				require.ErrorAs(t, s.stray([]byte(c.payload), inStream), &failed)
				require.Equal(t, want, failed.Kind, "in a stream: %t", inStream)
			}
		})
	}
}

// A value that breaks off may arrive whole another time; an invalid one is invalid again.
func TestComplaint_HalfAValueIsOneThatBrokeOff(t *testing.T) {
	t.Parallel()
	s := New(Options{BaseURL: "http://h/v1", Model: "m"}, Dialect{})
	for text, want := range map[string]llm.Kind{
		`{"a":[1,`: llm.KindTruncated, `{"a`: llm.KindTruncated, `{`: llm.KindTruncated,
		`{"a":}`: llm.KindInvalid, `[DONE]`: llm.KindInvalid, `{} {}`: llm.KindInvalid, `{"a":"text"}`: llm.KindInvalid,
	} {
		var into struct{ A []int }
		var failed *llm.Error
		require.ErrorAs(t, s.Failure(json.Unmarshal([]byte(text), &into)), &failed, text)
		require.Equal(t, want, failed.Kind, text)
	}
}
