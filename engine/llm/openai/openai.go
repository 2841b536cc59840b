// Package openai speaks to OpenAI and to every server that is compatible with it (vLLM, LM Studio,
// llama.cpp, Ollama's /v1, MiniMax), by base URL.
//
// The library go-openai builds requests and decodes chunks. What it gets wrong is put right in between,
// in an exchange (engine/llm/wire) that is its HTTP client: a temperature of 0 reaches the wire, a failed status
// becomes an *llm.Error with the moment to call again, silence ends after a time-out, and the event stream is
// brought into the one form that the library reads correctly.
package openai

import (
	"context"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// BaseURL is where OpenAI's own API lives.
const BaseURL = "https://api.openai.com/v1"

// Client is one model behind one base URL.
type Client struct{ server *wire.Server }

var _ llm.Model = (*Client)(nil)

// New returns a client. The base URL goes up to and including /v1; empty is OpenAI's. It does no I/O.
func New(o wire.Options) *Client {
	return &Client{wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "chat completions", BaseHint: "it usually ends in /v1",
	})}
}

// Name says which model this is and where: "gpt-4o-mini at api.openai.com".
func (c *Client) Name() string { return c.server.Name() }

// Close lets go of idle connections. The client can be used again.
func (c *Client) Close() { c.server.Close() }

// Complete implements llm.Model. Temperature is left out for OpenAI's reasoning models, which refuse it.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.server.Now()
	x, ctx := c.server.Exchange(ctx, wire.Events)
	defer x.End()
	x.Tag(r)
	if !reasons(c.server.Model) {
		x.Restate = stating(r.Temperature)
	}
	answer := answer{onDelta: onDelta, settle: x.Settle}
	err := answer.read(ctx, c.library(x), chatRequest(c.server.Model, r))
	response := answer.response(c.server.Model)
	response.Latency = c.server.Now().Sub(began)
	return response, x.Failure(err)
}

// library returns go-openai's client with x as its way to the outside.
func (c *Client) library(x *wire.Exchange) *api.Client {
	config := api.DefaultConfig(c.server.Key)
	config.BaseURL = c.server.BaseURL
	config.HTTPClient = x
	config.EmptyMessagesLimit = 1 << 30 // an exchange passes on nothing but data lines; this is for errors alone
	return api.NewClientWithConfig(config)
}
