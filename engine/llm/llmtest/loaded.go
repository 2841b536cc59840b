package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

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
