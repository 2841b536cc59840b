package route

import (
	"errors"
	"fmt"
	"strings"

	"forge/engine/config"
)

// ErrNoModel says that there is no key and no local server. Its text says what to do.
var ErrNoModel = errors.New(`there is no model to ask. Do one of these:
  set OPENAI_API_KEY or ANTHROPIC_API_KEY to a key of yours, or keep one with: forge setup;
  or start Ollama (https://ollama.com) with a model, such as: ollama pull qwen2.5-coder;
  or set FORGE_BASE_URL and FORGE_MODEL to any server that speaks OpenAI's API;
  or try forge demo, which needs no model`)

// ErrOffline says what to do where nothing but this machine may be asked.
var ErrOffline = errors.New("start a server on this machine (such as Ollama), or turn models.offline and FORGE_OFFLINE off")

// ChoiceError says that servers were found, but not which model is meant.
type ChoiceError struct {
	Wanted string // the model that none of them has; empty if none was named
	found  []found
}

// maxShown is how many models of a server are named in a message.
const maxShown = 8

// Error offers what was found by name and says how to choose.
func (e *ChoiceError) Error() string {
	var text strings.Builder
	if e.Wanted != "" {
		fmt.Fprintf(&text, "no local server has the model %q, or one that could stand in for it. There is:", e.Wanted)
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

// unnamed says why no model is chosen where nobody has named one.
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
