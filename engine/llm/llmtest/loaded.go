package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// loaded are the models that Ollama holds in memory, and the size of the context of each: those that were asked. The zero
// value holds none.
type loaded struct {
	mu      sync.Mutex     // guards context
	context map[string]int // by model
}

func (l *loaded) load(model string, context int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.context == nil {
		l.context = map[string]int{}
	}
	l.context[model] = context
}

func (l *loaded) all() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.context)
}

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
			asked.Messages = []json.RawMessage{nil} // the chat says what is wrong with it
		}
		if asked.Model != "" {
			s.loaded.load(asked.Model, asked.Options.Context)
		}
		if len(asked.Messages) > 0 || asked.Model == "" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			chat(w, r)
			return
		}
		s.log.printf("%s is loaded", asked.Model)
		write(w, http.StatusOK, encode(map[string]any{
			"model": asked.Model, "created_at": s.date(), "message": map[string]string{"role": "assistant", "content": ""},
			"done": true, "done_reason": "load",
		}))
	}
}

// running lists the models that are loaded, as Ollama does.
func (s *server) running(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		Name    string `json:"name"`
		Model   string `json:"model"`
		Context int    `json:"context_length,omitempty"`
	}
	all := []entry{}
	contexts := s.loaded.all()
	for _, name := range slices.Sorted(maps.Keys(contexts)) {
		all = append(all, entry{name, name, contexts[name]})
	}
	write(w, http.StatusOK, encode(map[string]any{"models": all}))
}
