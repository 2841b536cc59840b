package ollama

import (
	"context"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// noRequest is what is asked where only the model is meant.
var noRequest = llm.Request{Whole: true}

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
		err = document(response.Body, c.server, &loaded)
	}
	if err == nil && !loaded.Done {
		err = wire.ErrUnfinished
	}
	return c.explain(x.Failure(err), noRequest)
}
