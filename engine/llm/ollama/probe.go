package ollama

import (
	"context"
	"time"

	"forge/engine/llm/wire"
)

// Found is an Ollama that answers.
type Found struct {
	BaseURL string // its root
	Version string
	Models  []Model
}

// Probe asks whether an Ollama answers at a base URL, and for its models, with no key. It asks for nothing that loads
// a model. The error says what is there instead, and is ctx's own when the time is over: ctx should bound it. Probes
// may run in parallel.
func Probe(ctx context.Context, baseURL string) (Found, error) {
	server := serve(named(wire.Options{BaseURL: baseURL, HeaderTimeout: time.Minute, IdleTimeout: time.Minute}))
	defer server.Close()
	found := Found{BaseURL: server.BaseURL}
	var err error
	if found.Version, err = version(ctx, server); err != nil {
		return Found{}, err
	}
	if found.Models, err = tags(ctx, server); err != nil {
		return Found{}, err
	}
	return found, nil
}
