// Package openai speaks to OpenAI and to every server that is compatible with it (vLLM, LM Studio,
// llama.cpp, Ollama's /v1), by base URL. Answers are always streamed.
//
// The library go-openai builds requests and decodes chunks. What it gets wrong is put right in between,
// in an exchange that wraps its HTTP client: a temperature of 0 reaches the wire, a failed status becomes
// an *llm.Error with the moment to call again, silence ends after a time-out, and the event stream is
// brought into the one form that the library reads correctly.
//
// Invariant: the key is in no error, and goes to no host but that of the base URL (redirects are not
// followed).
package openai

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
)

// BaseURL is where OpenAI's own API lives.
const BaseURL = "https://api.openai.com/v1"

// Patience is the default of both time-outs. It is long because a local model may load for minutes
// before its first byte, and a reasoning model may think for minutes between two of them.
const Patience = 5 * time.Minute

// Options say which model to ask, and where.
type Options struct {
	BaseURL string // up to and including /v1; empty is OpenAI's
	Key     string // empty sends no Authorization header
	Model   string // as the server names it

	// HTTP is the client to use; nil is one of our own that heeds HTTPS_PROXY and NO_PROXY. Its redirect
	// policy is replaced.
	HTTP *http.Client
	// HeaderTimeout bounds the time to the first byte of the response, IdleTimeout the time between two
	// reads of it; 0 is Patience.
	HeaderTimeout, IdleTimeout time.Duration
	// TagRequests sends the request's node and attempt as X-Forge-Node and X-Forge-Attempt, for scripted
	// servers. It has an effect only where BaseURL is on loopback: no provider ever sees them.
	TagRequests bool
	// Now is the clock, for latency and for Retry-After dates; nil is time.Now.
	Now func() time.Time
}

// Client is one model behind one base URL.
type Client struct {
	options Options
	host    string
}

var _ llm.Model = (*Client)(nil)

// New returns a client. It does no I/O; a base URL that is none shows with the first call.
func New(o Options) *Client {
	o.BaseURL = strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	if o.BaseURL == "" {
		o.BaseURL = BaseURL
	}
	o.Key = strings.TrimSpace(o.Key)
	if o.HeaderTimeout <= 0 {
		o.HeaderTimeout = Patience
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = Patience
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.HTTP = direct(o.HTTP)
	host, local := place(o.BaseURL)
	o.TagRequests = o.TagRequests && local
	return &Client{options: o, host: host}
}

// Name says which model this is and where: "gpt-4o-mini at api.openai.com".
func (c *Client) Name() string { return c.options.Model + " at " + c.host }

// Close lets go of idle connections. The client can be used again.
func (c *Client) Close() { c.options.HTTP.CloseIdleConnections() }

// Complete implements llm.Model. Temperature is left out for OpenAI's reasoning models, which refuse it.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.options.Now()
	x, ctx := c.exchange(ctx)
	defer x.end()
	x.prepare(r, c.options)
	answer := answer{onDelta: onDelta, settle: x.settle}
	err := answer.read(ctx, c.library(x), chatRequest(c.options.Model, r))
	response := answer.response(c.options.Model)
	response.Latency = c.options.Now().Sub(began)
	return response, c.failure(x, err)
}

// library returns go-openai's client with x as its way to the outside.
func (c *Client) library(x *exchange) *api.Client {
	config := api.DefaultConfig(c.options.Key)
	config.BaseURL = c.options.BaseURL
	config.HTTPClient = x
	config.EmptyMessagesLimit = 1 << 30 // events passes on nothing but data lines; this is for errors alone
	return api.NewClientWithConfig(config)
}

// direct returns a copy of the client that shows redirects instead of following them: a prompt and a key
// go to the host that a person named, or nowhere.
func direct(client *http.Client) *http.Client {
	copied := http.Client{}
	if client != nil {
		copied = *client
	}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok && copied.Transport == nil {
		copied.Transport = standard.Clone() // connections of our own, to be closed by Close
	}
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}

// place returns the host of a base URL, without a password that may stand before it, and whether it is
// on loopback.
func place(base string) (host string, local bool) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return "an address that is not a URL", false
	}
	ip := net.ParseIP(parsed.Hostname())
	return parsed.Host, parsed.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
