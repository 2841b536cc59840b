// Package web is the door to the web: it reads pages for tools of models, and files that the user names.
//
//	address ──► https, and a host that may be read ──► name resolved, address of the public web ──► GET ──► at most so many bytes
//	   ▲                                                                                             │
//	   └────────────────────────────── a redirect, which restarts ───────────────────────────────────┘
//
// The text that it returns was written by others: it is data, and never an instruction.
//
// Invariants: nothing but GET over https is sent, without cookies, and without a proxy, behind which Forge could not see where a name
// leads. No address that a name resolves to is in a private network or on this machine: it is checked when the connection is made,
// so that DNS rebinding does not work. Making a Reader does no I/O.
package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"forge/engine/tool"
	"forge/internal/inert"
)

// The limits of one page.
const (
	maxPage      = 2 << 20 // bytes
	maxTime      = 20 * time.Second
	maxRedirects = 5
	maxAddress   = 2000 // bytes of a URL
)

// Options are what a Reader needs from the outside.
type Options struct {
	// Grant is what may be read.
	Grant tool.WebGrant
	// Search is the address of a search, an https URL with QueryMark in it; empty disables searching. Its host may be read for
	// searching whatever Grant says of hosts.
	Search string
	// Authorities are trusted in place of the system's; nil, and one that gives nil, leaves those. It is asked once, when first needed.
	Authorities func() (*x509.CertPool, error)
	// Exempt excepts addresses from having to be of the public web; nil excepts none. It is for tests, which have no such address.
	Exempt func(netip.Addr) bool
}

// QueryMark is in the address of a search for what is searched for.
const QueryMark = "{query}"

// Reader reads from the web. It may be used by several goroutines at once.
type Reader struct {
	options   Options
	transport func() (*http.Transport, error)
}

var _ tool.Web = (*Reader)(nil)

// New returns a Reader.
func New(o Options) *Reader {
	r := &Reader{options: o}
	r.transport = sync.OnceValues(r.connect)
	return r
}

// connect makes what connects to servers.
func (r *Reader) connect() (*http.Transport, error) {
	var authorities *x509.CertPool
	if r.options.Authorities != nil {
		var err error
		if authorities, err = r.options.Authorities(); err != nil {
			return nil, err
		}
	}
	dialer := net.Dialer{Timeout: maxTime, ControlContext: r.onlyPublic}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
		TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
	}, nil
}

// Document is what a server sent.
type Document struct {
	URL  string // where it was found in the end
	Type string // as the server says: "text/html; charset=utf-8"; may be empty
	Body []byte
	Cut  bool // there was more
}

// Get returns what is at an address, at most so many bytes of it. The error states, for users, what prevented it.
func (r *Reader) Get(ctx context.Context, address string, most int) (Document, error) {
	return r.get(ctx, address, most, r.options.Grant.May)
}

// get is Get from hosts that may be read.
func (r *Reader) get(ctx context.Context, address string, most int, may func(host string) bool) (Document, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return Document{}, errNoAddress
	}
	if err := check(parsed, may); err != nil {
		return Document{}, err
	}
	transport, err := r.transport()
	if err != nil {
		return Document{}, err
	}
	client := http.Client{Transport: transport, Timeout: maxTime, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) > maxRedirects {
			return fmt.Errorf("it leads on and on: more than %d redirects", maxRedirects)
		}
		next.Header.Del("Referer") // it may hold what was asked for
		return check(next.URL, may)
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, parsed.String(), nil)
	if err != nil {
		return Document{}, errNoAddress
	}
	request.Header.Set("User-Agent", "forge")
	answer, err := client.Do(request)
	if err != nil {
		return Document{}, plain(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return Document{}, fmt.Errorf("the server answers %s", inert.Text(answer.Status))
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
	if err != nil {
		return Document{}, plain(ctx, err)
	}
	d := Document{URL: answer.Request.URL.String(), Type: answer.Header.Get("Content-Type"), Body: body, Cut: len(body) > most}
	d.Body = d.Body[:min(len(body), most)]
	return d, nil
}

var errNoAddress = errors.New("that is no https address")

// check refuses an address that is not to be asked, before a name is resolved.
func check(address *url.URL, may func(host string) bool) error {
	switch {
	case address.Scheme != "https":
		return fmt.Errorf("%s is not read: only https is", inert.Text(address.Scheme+"://"+address.Host))
	case address.Hostname() == "" || len(address.String()) > maxAddress:
		return errNoAddress
	case address.User != nil:
		return errors.New("an address with a name or a password in it is not read")
	case !may(address.Hostname()):
		return fmt.Errorf("%s is not among the hosts that may be read (web.hosts in the user's settings)", inert.Text(address.Hostname()))
	}
	return nil
}

// plain is what went wrong, without the address, which the caller knows.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) && wrapped.Timeout() {
		return fmt.Errorf("the server took longer than %v", maxTime)
	}
	if wrapped != nil {
		err = wrapped.Err
	}
	return errors.New(strings.ToValidUTF8(inert.Text(err.Error()), ""))
}
