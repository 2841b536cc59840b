// Package anthropic is the adapter for Anthropic's Messages API and for every compatible server, by base URL.
//
// The official library builds requests and decodes events. Its own features are disabled: it reads no environment and no
// configuration file, retries nothing, traces nothing, and sends through an exchange (engine/llm/wire), which turns a
// failed status into an *llm.Error with the time of the next call, ends silence after a time-out, and passes on the event
// stream in the one form that the library reads correctly.
//
// Answers to a schema: newer models follow one directly. Others must call a tool whose input is the answer; the caller
// sees that input as text, in one or more pieces, and nothing of the tool.
//
// A model's thoughts are not part of its answer and are dropped. So a model with a thinking budget does not think while it
// calls tools: its thoughts would have to be sent back.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// BaseURL is the address of Anthropic's own API.
const BaseURL = "https://api.anthropic.com"

// Client is one model behind one base URL. It is safe for concurrent use.
type Client struct {
	server *wire.Server
	fixed  []option.RequestOption // for every call; nil if the base URL is invalid

	mu       sync.Mutex        // guards the fields below
	unforced bool              // the model rejects a forced tool
	most     int64             // the largest limit of an answer that the model takes; 0 is unknown
	labels   map[string]string // by the id of the job: a label never changes
}

var (
	_ llm.Model   = (*Client)(nil)
	_ llm.Batcher = (*Client)(nil)
	_ llm.Thinker = (*Client)(nil)
)

// New returns a client. The base URL goes up to, and may include, /v1; empty is Anthropic's. It does no I/O.
func New(o wire.Options) *Client {
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(o.BaseURL), "/"), "/v1")
	server := wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "Messages API", BaseHint: "it usually is a host without a path, " + BaseURL,
		Parts: parts,
	})
	return &Client{server: server, fixed: fixed(server), labels: map[string]string{}}
}

func fixed(s *wire.Server) []option.RequestOption {
	if _, err := url.Parse(s.BaseURL); err != nil {
		return nil
	}
	options := []option.RequestOption{
		option.WithBaseURL(s.BaseURL + "/"), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	}
	if s.Key != "" {
		options = append(options, option.WithAPIKey(s.Key))
	}
	return options
}

// Name returns the model and its host: "claude-opus-4-5 at api.anthropic.com".
func (c *Client) Name() string { return c.server.Name() }

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.server.Close() }

// Thinks implements llm.Thinker. Compatible servers have models of other vendors.
func (c *Client) Thinks() bool {
	return familyOf(c.server.Model).calm == calmNever || wire.ThinksAlways(c.server.Model)
}

// Complete implements llm.Model. The API requires a limit of the answer: without Request.MaxTokens it is 4096 tokens. It
// omits the temperature for models that reject it, and if the model thinks. If a model rejects a forced tool, only that
// tool is offered. A model that always thinks does so at its lowest effort.
//
// If a server rejects a field that only this wire format has, the call is repeated without it, and later calls omit it. If it
// names the largest value of max_tokens, the call is repeated with that, and later calls respect it.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.server.Now()
	for {
		used := c.family()
		response, refused, err := c.attempt(ctx, used, r, onDelta)
		if refused != nil && c.learn(used, r, refused) {
			continue
		}
		response.Latency = c.server.Now().Sub(began)
		return response, err
	}
}

// attempt makes one call. refused, if not nil, has the rejected part of the request.
func (c *Client) attempt(caller context.Context, f family, r llm.Request, onDelta func(string)) (_ llm.Response, refused *wire.RefusedError, _ error) {
	framing := wire.NamedEvents
	if r.Whole {
		framing, onDelta = wire.Document, nil
	}
	x, ctx := c.server.Exchange(caller, framing)
	defer x.End()
	x.Tag(r)
	answer := newAnswer(f, r, onDelta, x.Settle)
	err := cmp.Or(c.ask(ctx, x, f, r, answer), caller.Err())
	errors.As(err, &refused)
	return answer.response(c.server.Model), refused, x.Failure(err)
}

func (c *Client) ask(ctx context.Context, x *wire.Exchange, f family, r llm.Request, a *answer) error {
	options, err := c.options(x)
	if err != nil {
		return err
	}
	params, err := f.params(c.server.Model, r)
	if err != nil {
		return err
	}
	messages := api.NewMessageService(options...)
	if !r.Whole {
		return a.readOrTake(messages.NewStreaming(ctx, params))
	}
	message, err := messages.New(ctx, params, unhurried)
	if err != nil {
		return err
	}
	return a.take(message)
}

// readOrTake reads a stream, or a document that arrived instead.
func (a *answer) readOrTake(s stream) error {
	err := a.read(s)
	var whole *wire.WholeError
	if !errors.As(err, &whole) {
		return err
	}
	var message api.Message
	if err := json.Unmarshal(whole.Document, &message); err != nil {
		return err
	}
	return a.take(&message)
}

// unhurried disables the library's own time-out, and its limit for long answers in one piece.
var unhurried = option.WithRequestTimeout(24 * 60 * wire.Patience)

// options make x the library's transport.
func (c *Client) options(x *wire.Exchange) ([]option.RequestOption, error) {
	if c.fixed == nil {
		return nil, wire.Malformed("the base URL is not a URL: set it to one like %s", BaseURL)
	}
	x.Restate = anonymise
	return append(c.fixed[:len(c.fixed):len(c.fixed)], option.WithHTTPClient(client(x.Do))), nil
}

// client is an HTTP client that declares documents as JSON: the library relies on a header that some servers get wrong.
type client func(*http.Request) (*http.Response, error)

// Do sends a request.
func (c client) Do(request *http.Request) (*http.Response, error) {
	response, err := c(request)
	if err == nil {
		response.Header.Set("Content-Type", "application/json")
	}
	return response, err
}

// anonymise removes the library's information about this machine.
func anonymise(request *http.Request) error {
	for name := range request.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			request.Header.Del(name)
		}
	}
	return nil
}
