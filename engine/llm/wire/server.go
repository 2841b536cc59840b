// Package wire is what adapters over HTTP have in common: where a request goes, how long silence is borne, what a
// failed status, a web page or a lost connection means, and which of it the user is told. An adapter says only
// how its provider words requests and answers.
//
// Invariant: the key is in no error, and goes to no host but that of the base URL (redirects are not followed).
package wire

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Patience is the default of both time-outs. It is long because a local model may load for minutes
// before its first byte, and a reasoning model may think for minutes between two of them.
const Patience = 5 * time.Minute

// Options say which model to ask, and where.
type Options struct {
	BaseURL string // of the API; every adapter has a default
	Key     string // empty sends none
	Model   string // as the server names it

	// KeyHint tells the user where to put the key: "set OPENAI_API_KEY"; empty names forge setup.
	KeyHint string

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

// Dialect is what servers of one kind say in their own way.
type Dialect struct {
	BaseURL  string // the provider's own; asked where Options name none
	Endpoint string // what is asked for, where there is none at the base URL: "chat completions"
	BaseHint string // what base URLs look like: "it usually ends in /v1"
	Parts    []Part // of a request that some servers refuse; what a message names first in this order counts
}

// Server is one model behind one base URL.
type Server struct {
	Options // with defaults in place

	dialect Dialect
	host    string
}

// New returns a server. It does no I/O; a base URL that is none shows with the first call.
func New(o Options, d Dialect) *Server {
	o.BaseURL = strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	if o.BaseURL == "" {
		o.BaseURL = d.BaseURL
	}
	o.Key = strings.TrimSpace(o.Key)
	if o.KeyHint == "" {
		o.KeyHint = "give it one with forge setup"
	}
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
	return &Server{Options: o, dialect: d, host: host}
}

// Name says which model this is and where: "gpt-4o-mini at api.openai.com".
func (s *Server) Name() string { return s.Model + " at " + s.host }

// Host is where the base URL leads, without a password that may stand in it.
func (s *Server) Host() string { return s.host }

// Close lets go of idle connections. The server can be used again.
func (s *Server) Close() { s.HTTP.CloseIdleConnections() }

// direct returns a copy of the client that shows redirects instead of following them: a prompt and a key
// go to the host that the user named, or nowhere.
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
