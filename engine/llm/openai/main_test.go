package openai_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// TestMain fails the package if any test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-canary-8d1f00ba"

// scripted serves entries on loopback until the test ends, and returns the base URL.
func scripted(t *testing.T, entries ...llmtest.Entry) (*llmtest.Script, string) {
	t.Helper()
	script, err := llmtest.New(entries...)
	require.NoError(t, err)
	listener, err := llmtest.Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- llmtest.Serve(ctx, listener, script, nil) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return script, "http://" + listener.Addr().String() + "/v1"
}

// handled serves one handler until the test ends, and returns the base URL.
func handled(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// sent is a handler that sends one body as an event stream.
func sent(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(body))
	}
}

func client(t *testing.T, baseURL string) *openai.Client {
	t.Helper()
	c := openai.New(wire.Options{BaseURL: baseURL, Key: key, Model: "scripted", TagRequests: true})
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
	require.NotContains(t, err.Error(), "Go struct")
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	return failed
}
