package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// noRequest is what is asked where only the model is meant.
var noRequest = llm.Request{Whole: true}

// Loaded tells whether the model is loaded with a context that the next call can use, so that nobody is told to wait
// for what is there.
func (c *Client) Loaded(ctx context.Context) (bool, error) {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"` // servers before 0.10.0 do not say
		} `json:"models"`
	}
	if err := read(ctx, c.server, http.MethodGet, "/api/ps", nil, &running); err != nil {
		return false, err
	}
	for _, m := range running.Models {
		if tagged(m.Name) == tagged(c.server.Model) {
			return m.Context == 0 || m.Context == int(min(c.context.Load(), c.ceiling())), nil
		}
	}
	return false, nil
}

// tagged is a name with its tag: without one the latest is meant.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}

// Warm loads the model, which takes seconds to minutes, so that the first call does not have to wait for it. It
// returns when the model is loaded; a model that is loaded already takes no time. The model is loaded with the size of
// context that the next call will ask for: another one would load it again.
func (c *Client) Warm(ctx context.Context) error {
	size := c.grow(min(minContext, c.limit(ctx)))
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	request := c.chatRequest(noRequest, size)
	request.Options.Temperature = nil
	var loaded chunk
	response, err := post(ctx, x, c.server, "/api/chat", request)
	if err == nil {
		defer response.Body.Close() //nolint:errcheck // nothing more is wanted of it
		err = json.NewDecoder(response.Body).Decode(&loaded)
	}
	if err == nil && !loaded.Done {
		err = wire.ErrUnfinished
	}
	return c.explain(x.Failure(err), noRequest)
}
