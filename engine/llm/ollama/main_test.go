package ollama_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

// TestMain fails the package if any test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-canary-8d1f00ba"

// window is what the test's servers say the model takes.
const window = 40960

// serve is an Ollama whose model is known, and whose chat is the handler's, until the test ends.
func serve(t testing.TB, chat http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", sent(`{"details":{"family":"qwen3"},"model_info":{"general.architecture":"qwen3","qwen3.context_length":`+strconv.Itoa(window)+`}}`))
	mux.HandleFunc("POST /api/chat", chat)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// sent is a handler that sends one body.
func sent(body string) http.HandlerFunc { return answers(http.StatusOK, body) }

// answers is a handler that gives one status and body.
func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// lines is a handler that streams documents.
func lines(documents ...string) http.HandlerFunc { return sent(strings.Join(documents, "\n") + "\n") }

func client(t testing.TB, baseURL string) *ollama.Client {
	t.Helper()
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: baseURL, Key: key, Model: "qwen3:8b"}})
	t.Cleanup(c.Close)
	return c
}

func ask(node string) llm.Request {
	return llm.Request{Node: node, Attempt: 1, Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}
}

// failure returns the *llm.Error in err, and fails the test if there is none or if it shows the key.
func failure(t testing.TB, err error) *llm.Error {
	t.Helper()
	require.Error(t, err)
	require.NotContains(t, err.Error(), key)
	require.NotContains(t, err.Error(), "Go struct")
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.True(t, strings.HasPrefix(err.Error(), "model qwen3:8b"), "%v", err)
	return failed
}

func said(text string) string {
	return `{"model":"qwen3:8b","message":{"role":"assistant","content":` + strconv.Quote(text) + `},"done":false}`
}

const end = `{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":7}`
