package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// models lists the models as OpenAI does, or to clients of Anthropic as that does.
func (s *server) models(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Anthropic-Version") != "" {
		s.anthropicModels(w)
		return
	}
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
	}
	var all []entry
	for _, name := range s.script.models {
		all = append(all, entry{name, "model", "forge"})
	}
	write(w, http.StatusOK, encode(map[string]any{"object": "list", "data": all}))
}

func (s *server) anthropicModels(w http.ResponseWriter) {
	type entry struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Display string `json:"display_name"`
		Created string `json:"created_at"`
	}
	var all []entry
	for _, name := range s.script.models {
		all = append(all, entry{"model", name, name, s.date()})
	}
	write(w, http.StatusOK, encode(map[string]any{
		"data": all, "has_more": false, "first_id": all[0].ID, "last_id": all[len(all)-1].ID,
	}))
}

// details of a model, as Ollama has them.
var details = map[string]any{
	"format": "gguf", "family": "scripted", "families": []string{"scripted"}, "parameter_size": "1B", "quantization_level": "Q4_0",
}

// tags lists the models as Ollama does.
func (s *server) tags(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		Name     string         `json:"name"`
		Model    string         `json:"model"`
		Modified string         `json:"modified_at"`
		Size     int            `json:"size"`
		Digest   string         `json:"digest"`
		Details  map[string]any `json:"details"`
	}
	all := []entry{}
	for _, name := range s.script.models {
		all = append(all, entry{name, name, s.date(), 1, "0123456789abcdef", details})
	}
	write(w, http.StatusOK, encode(map[string]any{"models": all}))
}

// show says of one model what Ollama does.
func (s *server) show(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Model, Name string }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asked)
	if name := asked.Model + asked.Name; err != nil || !slices.Contains(s.script.models, name) {
		refuse(w, ollama{}, refusal{status: http.StatusNotFound, message: fmt.Sprintf("model '%s' not found", name)})
		return
	}
	write(w, http.StatusOK, encode(map[string]any{
		"parameters": fmt.Sprintf("num_ctx %d", s.script.window), "details": details, "modified_at": s.date(),
		"model_info":   map[string]any{"general.architecture": "scripted", "scripted.context_length": s.script.window},
		"capabilities": []string{"completion", "tools"},
	}))
}

func (s *server) date() string { return s.script.Now().UTC().Format(time.RFC3339) }
