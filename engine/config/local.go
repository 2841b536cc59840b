package config

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// LocalTimeout bounds the search for local servers.
const LocalTimeout = 1500 * time.Millisecond

// Probe asks the server at a base URL for its models. It returns an error where nothing answers, or what
// answers does not speak OpenAI's API, and as soon as ctx ends.
type Probe func(ctx context.Context, baseURL string) ([]string, error)

// Local is a place where a model server usually listens.
type Local struct {
	Name    string
	BaseURL string
}

// Locals returns the places that are looked at, in order of preference: all of them on this machine.
func Locals() []Local {
	return []Local{
		{"Ollama", "http://127.0.0.1:11434/v1"},
		{"LM Studio", "http://127.0.0.1:1234/v1"},
		{"vLLM", "http://127.0.0.1:8000/v1"},
		{"llama.cpp", "http://127.0.0.1:8080/v1"},
	}
}

// Found is a server that answered, and its models.
type Found struct {
	Name    string
	BaseURL string
	Models  []string
}

// Discover asks all Locals at once, for at most LocalTimeout, and returns those that answered, in the order
// of Locals.
func Discover(ctx context.Context, probe Probe) []Found {
	ctx, cancel := context.WithTimeout(ctx, LocalTimeout)
	defer cancel()
	locals := Locals()
	answers := make([]*Found, len(locals))
	var asking sync.WaitGroup
	for i, local := range locals {
		asking.Go(func() {
			if models, err := probe(ctx, local.BaseURL); err == nil {
				answers[i] = &Found{local.Name, local.BaseURL, models}
			}
		})
	}
	asking.Wait()
	var found []Found
	for _, answer := range answers {
		if answer != nil {
			found = append(found, *answer)
		}
	}
	return found
}

// ChoiceError says that servers were found, but not which model is meant.
type ChoiceError struct {
	Wanted string // FORGE_MODEL, which none of them has; empty if it is not set
	Found  []Found
}

// maxShown is how many models of a server are named in a message.
const maxShown = 8

// Error offers what was found by name and says how to choose.
func (e *ChoiceError) Error() string {
	var text strings.Builder
	if e.Wanted != "" {
		fmt.Fprintf(&text, "no local server has the model %q. There is:", e.Wanted)
	} else {
		fmt.Fprintf(&text, "there is more than one model, or none yet. Set %s to choose:", EnvModel)
	}
	example := ""
	for _, found := range e.Found {
		fmt.Fprintf(&text, "\n  %s on %s with %s", found.Name, hostOf(found.BaseURL), list(found.Models))
		if example == "" && len(found.Models) > 0 {
			example = found.Models[0]
		}
	}
	if example != "" {
		fmt.Fprintf(&text, "\nFor instance: %s=%s", EnvModel, example)
	}
	return text.String()
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

// fromLocals chooses among the local servers, as Provider says.
func fromLocals(ctx context.Context, wanted string, probe Probe) (Settings, error) {
	found := Discover(ctx, probe)
	if err := ctx.Err(); err != nil {
		return Settings{}, err
	}
	if len(found) == 0 {
		return Settings{}, ErrNoModel
	}
	for _, server := range found {
		if wanted != "" && slices.Contains(server.Models, wanted) {
			return server.settings(wanted), nil
		}
	}
	if wanted == "" && len(found) == 1 && len(found[0].Models) == 1 {
		return found[0].settings(found[0].Models[0]), nil
	}
	return Settings{}, &ChoiceError{Wanted: wanted, Found: found}
}

func (f Found) settings(model string) Settings {
	return Settings{BaseURL: f.BaseURL, Model: model, Source: f.Name + " on " + hostOf(f.BaseURL)}
}
