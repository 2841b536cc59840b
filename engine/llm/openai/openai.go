// Package openai speaks to OpenAI and to every server that is compatible with it (vLLM, LM Studio,
// llama.cpp, Ollama's /v1, MiniMax), by base URL: chat completions as a stream or whole, tools, and the batch API.
//
//	llm.Request ─ chatRequest ─► wire.Exchange ─► reply, reply, … ─ answer ─► llm.Response
//
// The library go-openai provides the wire types, and the calls for which it suffices (models, files, batches).
// Chat completions are sent and read here, because the library loses a temperature of 0, an empty result of a
// tool, the message that some servers repeat at the end, and the errors that others put into a successful answer
// (docs/adr/0021).
//
// Absent on purpose: retries (llm.Retry), and host names. A server's restrictions are learnt from its messages.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// BaseURL is the address of OpenAI's own API.
const BaseURL = "https://api.openai.com/v1"

// Client is one model behind one base URL. It is safe for concurrent use.
type Client struct {
	server *wire.Server

	mu     sync.Mutex
	learnt habits // guarded by mu
}

var (
	_ llm.Model   = (*Client)(nil)
	_ llm.Batcher = (*Client)(nil)
	_ llm.Thinker = (*Client)(nil)
)

// New returns a client. The base URL goes up to and including /v1; empty is OpenAI's. It does no I/O.
func New(o wire.Options) *Client {
	return &Client{server: wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "chat completions", BaseHint: "it usually ends in /v1", Parts: parts,
	})}
}

// Name returns the model and its host: "gpt-4o-mini at api.openai.com".
func (c *Client) Name() string { return c.server.Name() }

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.server.Close() }

// Thinks implements llm.Thinker.
func (c *Client) Thinks() bool { return thinks(c.server.Model) }

// Complete implements llm.Model. It omits the temperature for OpenAI's reasoning models, which reject it. They always think, at
// the lowest effort unless the request asks for more.
//
// If a server rejects a field that only this wire format has, the call is repeated without it, and later calls omit it. If it
// names the largest value of max_tokens, the call is repeated with that, and later calls respect it.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.server.Now()
	for {
		habits := c.habits()
		response, err := c.ask(ctx, r, habits, onDelta)
		var refused *refusal
		if errors.As(err, &refused) {
			sent := chatRequest(c.server.Model, r, habits)
			if c.learn(habits, sent.most(), refused.cause) {
				continue
			}
			err = refused.error
		}
		response.Latency = c.server.Now().Sub(began)
		return response, err
	}
}

// refusal is an error with its cause.
type refusal struct {
	error
	cause *wire.RefusedError
}

// ask makes one call.
func (c *Client) ask(caller context.Context, r llm.Request, habits habits, onDelta func(string)) (llm.Response, error) {
	framing := wire.Events
	if r.Whole {
		framing, onDelta = wire.Document, nil
	}
	x, ctx := c.server.Exchange(caller, framing)
	defer x.End()
	x.Tag(r)
	answer := newAnswer(r, onDelta, x.Settle)
	err := cmp.Or(c.read(ctx, x, chatRequest(c.server.Model, r, habits), answer), caller.Err())
	response := answer.response(c.server.Model)

	var refused *wire.RefusedError
	if errors.As(err, &refused) {
		return response, &refusal{x.Failure(err), refused}
	}
	return response, x.Failure(err)
}

// read sends a request and reads the answer to its end.
func (c *Client) read(ctx context.Context, x *wire.Exchange, request request, answer *answer) error {
	posted, err := c.post(ctx, request)
	if err != nil {
		return err
	}
	response, err := x.Do(posted)
	var whole *wire.WholeError
	if errors.As(err, &whole) {
		return answer.whole(bytes.NewReader(whole.Document))
	}
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // nothing more is wanted of it
	if request.Stream {
		return answer.stream(response.Body)
	}
	return answer.whole(response.Body)
}

// library returns go-openai's client with x as its transport.
func (c *Client) library(x *wire.Exchange) *api.Client {
	config := api.DefaultConfig(c.server.Key)
	config.BaseURL = c.server.BaseURL
	config.HTTPClient = x
	return api.NewClientWithConfig(config)
}

var _ api.HTTPDoer = (*wire.Exchange)(nil)

func (c *Client) authorize(request *http.Request) {
	if c.server.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.server.Key)
	}
}
