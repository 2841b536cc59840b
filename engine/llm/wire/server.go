// Package wire is shared by the adapters over HTTP: where a request goes, time-outs, the meaning of failed
// statuses, web pages and lost connections, and the messages for users. An adapter only contains the provider's
// format of requests and answers.
//
// Invariant: the key is in no error, and is sent to no host but that of the base URL (redirects are not followed).
package wire

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Patience is the default of both time-outs. It is long because a local model may take minutes to
// load, and a reasoning model may think for minutes.
const Patience = 5 * time.Minute

// Options are the model to call, and its server.
type Options struct {
	BaseURL string // of the API; every adapter has a default
	Key     string // empty sends none
	Model   string // the server's name of the model

	// KeyHint describes where to put the key: "set OPENAI_API_KEY"; empty names forge setup.
	KeyHint string

	// HTTP is the client to use; nil creates one that honours HTTPS_PROXY and NO_PROXY. Its redirect policy is replaced.
	HTTP *http.Client
	// HeaderTimeout limits the time to the first byte of the response, IdleTimeout the time between two reads of it; 0 is Patience.
	// An answer in one piece has more time (llm.Request.Within).
	HeaderTimeout, IdleTimeout time.Duration
	// TagRequests sends the request's node and attempt as X-Forge-Node and X-Forge-Attempt, for scripted
	// servers. It only works if BaseURL is on loopback: no provider ever gets them.
	TagRequests bool
	// Now is the clock, for latency and for Retry-After dates; nil is time.Now.
	Now func() time.Time
}

// Dialect holds the particularities of servers of one kind.
type Dialect struct {
	BaseURL  string // the provider's own; the default for Options
	Endpoint string // the name of the API in messages: "chat completions"
	BaseHint string // the usual form of base URLs: "it usually ends in /v1"
	Parts    []Part // fields that some servers reject; the first one in this order that a message names counts
}

// Server is one model behind one base URL.
type Server struct {
	Options // with defaults filled in

	dialect Dialect
	host    string
}

// New returns a server. It does no I/O; an invalid base URL fails on the first call.
func New(o Options, d Dialect) *Server {
	o.BaseURL = strings.TrimRight(strings.TrimSpace(o.BaseURL), "/")
	o.BaseURL = cmp.Or(o.BaseURL, d.BaseURL)
	o.Key = strings.TrimSpace(o.Key)
	o.KeyHint = cmp.Or(o.KeyHint, "give it one with forge setup")
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

// Name returns the model and its host: "gpt-4o-mini at api.openai.com".
func (s *Server) Name() string { return s.Model + " at " + s.host }

// Host returns the host of the base URL, without a password.
func (s *Server) Host() string { return s.host }

// Close closes idle connections. The server can still be used.
func (s *Server) Close() { s.HTTP.CloseIdleConnections() }

// direct returns a copy of the client that does not follow redirects: a prompt and a key are only sent
// to the host that the user named.
func direct(client *http.Client) *http.Client {
	copied := http.Client{}
	if client != nil {
		copied = *client
	}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok && copied.Transport == nil {
		copied.Transport = standard.Clone() // own connections, which Close closes
	}
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}

// place returns the host of a base URL, without a password, and whether it is on loopback.
func place(base string) (host string, local bool) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return "an address that is not a URL", false
	}
	ip := net.ParseIP(parsed.Hostname())
	return parsed.Host, parsed.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Unprintable reports whether a character must not be shown: names of models with one are left out of lists.
func Unprintable(r rune) bool { return !unicode.IsPrint(r) }
