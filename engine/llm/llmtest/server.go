package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

// ServeHandler is Serve for handlers that are no scripts: a cassette, or the recorder of one.
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
		_ = server.Close() // its errors concern connections that are gone anyway
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

// models lists the models as OpenAI does, or to clients of Anthropic as that does.
func (s *server) models(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Anthropic-Version") != "" {
		s.anthropicModels(w)
		return
	}
	var all []map[string]string
	for _, name := range s.script.models {
		all = append(all, map[string]string{"id": name, "object": "model", "owned_by": "forge"})
	}
	write(w, http.StatusOK, encode(fields{"object": "list", "data": all}))
}

func (s *server) anthropicModels(w http.ResponseWriter) {
	var all []map[string]string
	for _, name := range s.script.models {
		all = append(all, map[string]string{"type": "model", "id": name, "display_name": name, "created_at": s.date()})
	}
	write(w, http.StatusOK, encode(fields{
		"data": all, "has_more": false, "first_id": all[0]["id"], "last_id": all[len(all)-1]["id"],
	}))
}

// details of a model, as Ollama has them.
var details = fields{
	"format": "gguf", "family": "scripted", "families": []string{"scripted"}, "parameter_size": "1B", "quantization_level": "Q4_0",
}

// tags lists the models as Ollama does.
func (s *server) tags(w http.ResponseWriter, _ *http.Request) {
	all := []fields{}
	for _, name := range s.script.models {
		all = append(all, fields{
			"name": name, "model": name, "modified_at": s.date(), "size": 1, "digest": "0123456789abcdef", "details": details,
		})
	}
	write(w, http.StatusOK, encode(fields{"models": all}))
}

// show describes one model as Ollama does.
func (s *server) show(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Model, Name string }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asked)
	if name := asked.Model + asked.Name; err != nil || !slices.Contains(s.script.models, name) {
		refuse(w, ollama{}, refusal{status: http.StatusNotFound, message: fmt.Sprintf("model '%s' not found", name)})
		return
	}
	write(w, http.StatusOK, encode(fields{
		"parameters": fmt.Sprintf("num_ctx %d", s.script.window), "details": details, "modified_at": s.date(),
		"model_info":   fields{"general.architecture": "scripted", "scripted.context_length": s.script.window},
		"capabilities": []string{"completion", "tools"},
	}))
}

func (s *server) date() string { return s.script.Now().UTC().Format(time.RFC3339) }

// loading is a chat that loads its model. One without messages does nothing else, and is none that a script has to expect.
func (s *server) loading(chat http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		var asked struct {
			Model    string
			Messages []json.RawMessage
			Options  struct {
				Context int `json:"num_ctx"`
			}
		}
		if err != nil || json.Unmarshal(body, &asked) != nil {
			asked.Messages = []json.RawMessage{nil} // the chat reports what is wrong with it
		}
		if asked.Model != "" {
			s.loaded.Store(asked.Model, asked.Options.Context)
		}
		if len(asked.Messages) > 0 || asked.Model == "" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			chat(w, r)
			return
		}
		s.log.printf("%s is loaded", asked.Model)
		write(w, http.StatusOK, encode(fields{
			"model": asked.Model, "created_at": s.date(), "message": map[string]string{"role": "assistant", "content": ""},
			"done": true, "done_reason": "load",
		}))
	}
}

// running lists the models that are loaded, as Ollama does.
func (s *server) running(w http.ResponseWriter, _ *http.Request) {
	all := []fields{}
	s.loaded.Range(func(name, context any) bool {
		all = append(all, fields{"name": name, "model": name, "context_length": context})
		return true
	})
	slices.SortFunc(all, func(a, b fields) int { return strings.Compare(fmt.Sprint(a["name"]), fmt.Sprint(b["name"])) })
	write(w, http.StatusOK, encode(fields{"models": all}))
}
