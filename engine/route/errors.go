package route

import (
	"fmt"
	"strings"

	"forge/engine/config"
	"forge/engine/event"
)

// ErrNoModel means that there is no key and no local server. Its text is advice.
var ErrNoModel = event.NewRemedied(event.RemedyKey, `there is no model to ask. Do one of these:
  set OPENAI_API_KEY or ANTHROPIC_API_KEY to a key of yours, or keep one with: forge setup;
  or start Ollama (https://ollama.com) with a model, such as: ollama pull qwen2.5-coder;
  or set FORGE_BASE_URL and FORGE_MODEL to any server that speaks OpenAI's API;
  or try forge demo, which needs no model`)

// offline returns the advice if only this machine may be called.
func offline(s config.Settings) error {
	way := "turn models.offline and FORGE_OFFLINE off"
	if s.OnlyRun {
		way = "start the task again without --offline, and not in the mode offline-safe"
	}
	return event.NewRemedied(event.RemedyModel, "start a server on this machine (such as Ollama), or "+way)
}

// ChoiceError means that servers were found, but the model is ambiguous.
type ChoiceError struct {
	Wanted string // the missing model; empty if none was named
	found  []found
}

// maxShown limits the models of a server in a message.
const maxShown = 8

// Error lists the models by name and describes how to choose.
func (e *ChoiceError) Error() string {
	var text strings.Builder
	if e.Wanted != "" {
		fmt.Fprintf(&text, "no local server has the model %q, or one that could replace it. There is:", e.Wanted)
	} else {
		text.WriteString(e.unnamed())
	}
	example := ""
	for _, server := range e.found {
		fmt.Fprintf(&text, "\n  %s on %s with %s", server.provider.Title, server.provider.Place(), list(server.names()))
		if example == "" && len(server.offers) > 0 {
			example = server.offers[0].ID
		}
	}
	if example != "" {
		fmt.Fprintf(&text, "\nFor instance: %s=%s", config.EnvModel, example)
	}
	return text.String()
}

// unnamed returns the message if no model was named.
func (e *ChoiceError) unnamed() string {
	for _, server := range e.found {
		if len(server.offers) > 0 {
			return fmt.Sprintf("there is more than one model. Set %s to choose:", config.EnvModel)
		}
	}
	return "there is a server of models, but no model in it:"
}

func list(models []string) string {
	switch {
	case len(models) == 0:
		return "no model: load one there"
	case len(models) > maxShown:
		return fmt.Sprintf("%s and %d more", strings.Join(models[:maxShown], ", "), len(models)-maxShown)
	default:
		return strings.Join(models, ", ")
	}
}
