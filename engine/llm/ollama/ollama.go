// Package ollama is the adapter for Ollama's own API (https://docs.ollama.com/api), because only it can set the size
// of the context.
//
// Ollama silently drops the beginning of a prompt that does not fit its context, and the answer looks normal. There
// are three countermeasures. A request that cannot fit is not sent (KindOverflow). A request asks for a context with
// room to spare, and asks the server to reject rather than truncate. If an older server truncates nevertheless, its
// own count of the prompt shows it: the result is KindOverflow, not an answer.
//
// If a prompt has more tokens than expected from its bytes, and the model has room, the failure is KindTransient: the
// next call asks for twice the context.
//
// A change of the context's size makes the server load the model again, which takes seconds to minutes: the size
// grows in powers of two and never shrinks.
package ollama

import (
	"cmp"
	"context"
	"sync/atomic"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// BaseURL is Ollama's default address.
const BaseURL = "http://127.0.0.1:11434"

// Options are the model to call, its server, and how long to keep it loaded.
type Options struct {
	// Options have the server's root as base URL ("http://127.0.0.1:11434"); a trailing /v1 or /api is dropped.
	// Empty is BaseURL. A key is only sent if set: Ollama has none, a proxy before it may.
	wire.Options

	// Window is how many tokens the model accepts, prompt and answer together; 0 asks the server, once.
	Window int
}

// Client is one model of one Ollama.
type Client struct {
	server *wire.Server

	window  atomic.Int64 // Options.Window, or the server's answer; 0 before the question, untold without an answer
	context atomic.Int64 // num_ctx of the largest request so far; it only grows
}

var (
	_ llm.Model   = (*Client)(nil)
	_ llm.Thinker = (*Client)(nil)
	_ llm.Warmer  = (*Client)(nil)
)

// New returns a client. It does no I/O.
func New(o Options) *Client {
	c := &Client{server: serve(o.Options)}
	c.window.Store(int64(max(0, o.Window)))
	c.context.Store(minContext)
	return c
}

// Name returns the model and its host: "qwen3:8b at 127.0.0.1:11434".
func (c *Client) Name() string { return c.server.Name() }

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.server.Close() }

// Thinks implements llm.Thinker. Ollama keeps other models from it.
func (c *Client) Thinks() bool { return wire.ThinksAlways(c.server.Model) }

// Complete implements llm.Model. Ollama has no forced choice of a tool: with UseTool only that tool is offered, and
// an answer without it is KindInvalid.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.server.Now()
	size, err := c.fit(ctx, r)
	if err != nil {
		return llm.Response{}, err
	}
	framing := wire.Lines
	if r.Whole {
		framing, onDelta = wire.Document, nil
	}
	x, bounded := c.server.Exchange(ctx, framing)
	defer x.End()
	x.Tag(r)
	answer := answer{request: r, size: size, onDelta: onDelta, settle: x.Settle}
	err = cmp.Or(c.ask(bounded, x, c.chatRequest(r, size), &answer), ctx.Err())
	response := answer.response(c.server.Model)
	response.Latency = c.server.Now().Sub(began)
	return response, c.widen(c.explain(x.Failure(err), r), r, size)
}

// ask sends a request and reads all of its answer.
func (c *Client) ask(ctx context.Context, x *wire.Exchange, request chatRequest, into *answer) error {
	response, err := post(ctx, x, c.server, "/api/chat", request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // the rest is not needed
	if request.Stream {
		return into.readStream(response.Body)
	}
	return into.readDocument(response.Body)
}
