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

// show says of one model what Ollama does.
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
