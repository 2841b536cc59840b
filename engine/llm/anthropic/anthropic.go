// Package anthropic speaks to Anthropic's Messages API and to every server that is compatible with it, by base URL.
//
// The official library builds requests and decodes events. It is kept from what it would do by itself: it reads no
// environment and no configuration file, calls nothing twice, traces nothing, and goes to the outside through an exchange
// (engine/llm/wire), which turns a failed status into an *llm.Error with the moment to call again, ends silence after a
// time-out, and gives it the event stream in the one form that it reads correctly.
//
// Answers to a schema: newer models keep to one by themselves. Others are made to call a tool whose input is the answer;
// the caller sees that input as text, in one piece or in many, and nothing of the tool.
//
// What a model thinks is no part of its answer and is not kept. So a model with a budget for thinking does not think while
// tools are being called: it would have to be shown its thoughts again.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// BaseURL is where Anthropic's own API lives.
const BaseURL = "https://api.anthropic.com"

// Client is one model behind one base URL. It is safe for concurrent use.
type Client struct {
	server *wire.Server
	family family
	fixed  []option.RequestOption // of every call; nil if the base URL is none

	mu     sync.Mutex
	labels map[string]string // by the id of the job: a label stays what it is; guarded by mu
}

var _ llm.Model = (*Client)(nil)

// New returns a client. The base URL goes up to, and may include, /v1; empty is Anthropic's. It does no I/O.
func New(o wire.Options) *Client {
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(o.BaseURL), "/"), "/v1")
	server := wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "Messages API", BaseHint: "it usually is a host without a path, " + BaseURL,
	})
	return &Client{server: server, family: familyOf(server.Model), fixed: fixed(server), labels: map[string]string{}}
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

// Name says which model this is and where: "claude-opus-4-5 at api.anthropic.com".
func (c *Client) Name() string { return c.server.Name() }

// Close lets go of idle connections. The client can be used again.
func (c *Client) Close() { c.server.Close() }

// Complete implements llm.Model. The API wants a limit of the answer: without Request.MaxTokens it is 4096 tokens. A
// temperature is left out for models that refuse it, and where a model thinks. A tool is not forced on a model that lets
// none be forced: it sees no other one instead. A model that cannot but think does so at its lowest effort.
func (c *Client) Complete(caller context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.server.Now()
	framing := wire.NamedEvents
	if r.Whole {
		framing = wire.Document
	}
	x, ctx := c.server.Exchange(caller, framing)
	defer x.End()
	x.Tag(r)
	answer := c.newAnswer(r, onDelta, x.Settle)
	err := c.ask(ctx, x, r, answer)
	if err == nil && !answer.over {
		err = caller.Err() // it is whole, but the caller had gone before the server was done
	}
	response := answer.response(c.server.Model)
	response.Latency = c.server.Now().Sub(began)
	return response, without(r, x.Failure(err))
}

func (c *Client) ask(ctx context.Context, x *wire.Exchange, r llm.Request, a *answer) error {
	options, err := c.options(x)
	if err != nil {
		return err
	}
	params, err := c.params(r)
	if err != nil {
		return err
	}
	messages := api.NewMessageService(options...)
	if !r.Whole {
		return a.read(messages.NewStreaming(ctx, params))
	}
	message, err := messages.New(ctx, params, unhurried)
	if err != nil {
		return err
	}
	return a.take(message)
}

// unhurried keeps the library from a time-out of its own, and from refusing long answers in one piece because of it.
var unhurried = option.WithRequestTimeout(24 * 60 * wire.Patience)

// options make x the library's way to the outside.
func (c *Client) options(x *wire.Exchange) ([]option.RequestOption, error) {
	if c.fixed == nil {
		return nil, wire.Malformed("the base URL is not a URL: set it to one like %s", BaseURL)
	}
	x.Restate = anonymise
	return append(c.fixed[:len(c.fixed):len(c.fixed)], option.WithHTTPClient(client(x.Do))), nil
}

// client is an HTTP client whose documents are JSON: the library goes by a header that some servers get wrong.
type client func(*http.Request) (*http.Response, error)

// Do sends a request.
func (c client) Do(request *http.Request) (*http.Response, error) {
	response, err := c(request)
	if err == nil {
		response.Header.Set("Content-Type", "application/json")
	}
	return response, err
}

// anonymise takes out what the library tells about this machine.
func anonymise(request *http.Request) error {
	for name := range request.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			request.Header.Del(name)
		}
	}
	return nil
}
