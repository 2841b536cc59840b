package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// TestMain fails the package if any test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-ant-canary-8d1f00ba"

// handled serves one handler until the test ends, and returns the base URL.
func handled(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// answers is a handler that gives one status and body.
func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// sent is a handler that sends events as an event stream.
func sent(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, strings.Join(events, ""))
	}
}

// event is one event of a stream, with the name that stands in its data.
func event(data string) string {
	var typed struct{ Type string }
	if json.Unmarshal([]byte(data), &typed) != nil {
		typed.Type = "content_block_delta"
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", typed.Type, data)
}

// The events of which answers are made.
var (
	begun   = event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":3,"cache_read_input_tokens":40,"output_tokens":1}}}`)
	ping    = event(`{"type":"ping"}`)
	stopped = event(`{"type":"message_stop"}`)
)

func opened(index int, block string) string {
	return event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block))
}

func closed(index int) string {
	return event(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func text(index int, piece string) string { return delta(index, "text_delta", "text", piece) }

func input(index int, piece string) string {
	return delta(index, "input_json_delta", "partial_json", piece)
}

func delta(index int, kind, field, piece string) string {
	quoted, _ := json.Marshal(piece)
	return event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%s}}`, index, kind, field, quoted))
}

func ended(reason string) string {
	return event(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":15}}`, reason))
}

// said is a whole stream with one block of text in pieces.
func said(reason string, pieces ...string) string {
	var all strings.Builder
	all.WriteString(begun + opened(0, `{"type":"text","text":""}`) + ping)
	for _, piece := range pieces {
		all.WriteString(text(0, piece))
	}
	return all.String() + closed(0) + ended(reason) + stopped
}

// asked is a whole stream with one call of a tool in pieces.
func asked(name string, pieces ...string) string {
	var all strings.Builder
	all.WriteString(begun + opened(0, fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}`, name)) + input(0, ""))
	for _, piece := range pieces {
		all.WriteString(input(0, piece))
	}
	return all.String() + closed(0) + ended("tool_use") + stopped
}

// message is an answer in one piece.
func message(reason, content string) string {
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[%s],"stop_reason":%q,"stop_sequence":null,`+
		`"usage":{"input_tokens":12,"cache_creation_input_tokens":3,"cache_read_input_tokens":40,"output_tokens":15}}`, content, reason)
}

var billed = llm.Usage{Input: 12, Output: 15, CacheRead: 40, CacheWrite: 3}

// old is a model that takes a temperature, a budget for thinking, and a forced tool.
const old = "claude-3-7-sonnet-latest"

func client(t testing.TB, baseURL, model string) *anthropic.Client {
	t.Helper()
	c := anthropic.New(wire.Options{BaseURL: baseURL, Key: key, Model: model, TagRequests: true})
	t.Cleanup(c.Close)
	return c
}

func ask(node string) llm.Request {
	return llm.Request{Node: node, Attempt: 1, Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}
}

// failure returns the *llm.Error in err, and fails the test if there is none or if it shows the key.
func failure(t *testing.T, err error) *llm.Error {
	t.Helper()
	require.Error(t, err)
	require.NotContains(t, err.Error(), key)
	require.NotRegexp(t, `anthropic\.[A-Z]`, err.Error())
	require.NotContains(t, err.Error(), "Go struct")
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	return failed
}

// transport is a round tripper in process.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}
