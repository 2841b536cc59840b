package llmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Serve serves the script on a loopback listener until ctx ends, then waits for what it started and
// returns nil. Of the same script it speaks, each as a stream or whole and with tools,
//
//   - OpenAI's chat completions (POST …/chat/completions) and batches (…/files, …/batches),
//   - Anthropic's messages (POST …/messages) and message batches (…/messages/batches),
//   - Ollama's chat (POST /api/chat, GET /api/tags, GET /api/ps, POST /api/show); one without messages loads the model,
//
// the first two with or without /v1 in front, and lists its models (GET …/models). Each request is a line in log, if
// that is not nil. The listener is closed in any case.
//
// It refuses a listener that other machines can reach: a script may hold what its author works on.
func Serve(ctx context.Context, listener net.Listener, s *Script, log io.Writer) error {
	return ServeHandler(ctx, listener, Handler(s, log))
}

// ServeHandler is Serve for what is no script: a cassette, or who records one.
func ServeHandler(ctx context.Context, listener net.Listener, handler http.Handler) error {
	defer listener.Close() //nolint:errcheck // closed once already by then, except on refusal
	if address, ok := listener.Addr().(*net.TCPAddr); !ok || !address.IP.IsLoopback() {
		return fmt.Errorf("serve the scripted model on %s: it is not a loopback address, use 127.0.0.1", listener.Addr())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var connections sync.WaitGroup
	server := &http.Server{
		Handler:     handler,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   count(&connections),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		_ = server.Close() // what it could say, it says of connections that are gone anyway
		<-served           //nolint:errcheck // it was closed
	}
	cancel()
	_ = server.Close()
	connections.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the scripted model on %s: %w", listener.Addr(), err)
	}
	return nil
}

// Handler is what Serve serves. What hangs hangs until the request's context ends.
func Handler(s *Script, log io.Writer) http.Handler {
	return (&server{script: s, log: &journal{w: log}}).routes()
}

// Listen opens a loopback listener for Serve; port 0 is any free one.
func Listen(ctx context.Context, port int) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted model: %w", err)
	}
	return listener, nil
}

// count keeps the number of open connections in a wait group.
func count(connections *sync.WaitGroup) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			connections.Add(1)
		case http.StateClosed, http.StateHijacked:
			connections.Done()
		}
	}
}

// server answers requests from a script.
type server struct {
	script  *Script
	log     *journal
	files   sync.Map // that were uploaded: their content, by id
	uploads atomic.Int64
	loaded  sync.Map // the models that Ollama holds in memory: the size of the context of each, by name
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", s.chat(openAI{}))
		mux.HandleFunc("POST "+prefix+"/messages", s.chat(anthropic{}))
		mux.HandleFunc("GET "+prefix+"/models", s.models)
		s.routeOpenAIBatches(mux, prefix)
		s.routeAnthropicBatches(mux, prefix)
	}
	mux.HandleFunc("POST /api/chat", s.loading(s.chat(ollama{})))
	mux.HandleFunc("GET /api/ps", s.running)
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, []byte(`{"version":"0.12.6"}`))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, openAI{}, refusal{status: http.StatusNotFound, message: fmt.Sprintf("the scripted model has no %s %s", r.Method, r.URL.Path)})
	})
	return mux
}

// journal writes whole lines, one at a time.
type journal struct {
	mu sync.Mutex // guards w
	w  io.Writer  // nil discards
}

func (j *journal) printf(format string, args ...any) {
	if j.w == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, _ = fmt.Fprintf(j.w, format+"\n", args...) // a log that cannot be written stops no answer
}
