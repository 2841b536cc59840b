package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// noRequest is the request for calls about the model alone.
var noRequest = llm.Request{Whole: true}

// Loaded implements llm.Warmer: it reports whether the model is loaded with the request's context size. Another size
// makes the server load it again.
func (c *Client) Loaded(ctx context.Context, r llm.Request) (bool, error) {
	size, err := c.fit(ctx, r)
	if err != nil {
		return false, err
	}
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"` // not sent by servers before 0.10.0
		} `json:"models"`
	}
	if err := read(ctx, c.server, http.MethodGet, "/api/ps", nil, &running); err != nil {
		return false, err
	}
	for _, m := range running.Models {
		if tagged(m.Name) == tagged(c.server.Model) {
			return m.Context == 0 || m.Context == size, nil
		}
	}
	return false, nil
}

// tagged adds the default tag, latest, to a name without one.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}

// Warm implements llm.Warmer: it loads the model with the request's context size, which takes seconds to minutes, or no
// time if it is already loaded.
func (c *Client) Warm(ctx context.Context, r llm.Request) error {
	size, err := c.fit(ctx, r)
	if err != nil {
		return err
	}
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	request := c.chatRequest(noRequest, size)
	request.Options.Temperature = nil
	return c.explain(x.Failure(load(ctx, x, c.server, request)), noRequest)
}

// load sends a request without messages, and waits until the server reports success.
func load(ctx context.Context, x *wire.Exchange, s *wire.Server, request chatRequest) error {
	response, err := post(ctx, x, s, "/api/chat", request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // the rest is not needed
	var loaded chunk
	if err := json.NewDecoder(response.Body).Decode(&loaded); err != nil {
		return err
	}
	if !loaded.Done {
		return wire.ErrUnfinished
	}
	return nil
}
