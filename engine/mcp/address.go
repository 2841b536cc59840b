package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"forge/internal/inert"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 3

// CheckURL returns an error if a server must not be called at an address: it has to be an https URL, or an http URL on this machine,
// without a password.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Fragment != "":
		return fmt.Errorf("%q is not the URL of a server", address)
	case u.User != nil:
		return errors.New("the URL of a server must not contain a name or a password: keep them with forge mcp header")
	case u.Scheme == "https", u.Scheme == "http" && isLocal(u):
		return nil
	}
	return fmt.Errorf("%q is not used: a server over HTTP has an https URL, or an http URL on this machine", address)
}

// isLocal reports whether a URL names this machine.
func isLocal(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || err == nil && ip.Unmap().IsLoopback()
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// onlySameOrigin follows a redirect to the same origin that repeats the request as it is.
func onlySameOrigin(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case len(before) > maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	case !sameOrigin(first.URL, next.URL):
		return fmt.Errorf("the server redirects to another address, %s, which is not followed", inert.OneLine(next.URL.Scheme+"://"+next.URL.Host, 100))
	case first.Method != next.Method:
		return fmt.Errorf("the server redirects a %s to a %s", first.Method, next.Method)
	}
	return nil
}

// guarded sends the requests of a login. Their addresses are a stranger's: they must be https, and must not name an address outside of
// the public web, except those at the host of the server itself. A name that resolves to such an address needs a certificate for it.
type guarded struct {
	base   http.RoundTripper
	server *url.URL
}

// RoundTrip implements http.RoundTripper.
func (g guarded) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := g.check(request.URL); err != nil {
		return nil, err
	}
	response, err := g.base.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // the client wraps it
	}
	response.Body = &limitedBody{response.Body, maxLoginBody}
	return response, nil
}

// check returns an error if the login must not use an address.
func (g guarded) check(u *url.URL) error {
	shown := inert.OneLine(u.Scheme+"://"+u.Host, 100)
	ip, err := netip.ParseAddr(u.Hostname())
	isIP := err == nil
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !isLocal(u)):
		return fmt.Errorf("the login is refused: %s is not an https address", shown)
	case strings.EqualFold(u.Hostname(), g.server.Hostname()), isLocal(u) && isLocal(g.server):
		return nil
	case isLocal(u), isIP && (!ip.Unmap().IsGlobalUnicast() || ip.Unmap().IsPrivate()):
		return fmt.Errorf("the login is refused: %s is not an address of the public web", shown)
	}
	return nil
}

// maxLoginBody bounds each answer during a login, in bytes.
const maxLoginBody = 1 << 20

// limitedBody fails instead of ending early, so that a part of an answer is not mistaken for all of it.
type limitedBody struct {
	io.ReadCloser
	room int
}

// Read fails beyond the limit.
func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.room -= n; l.room < 0 {
		return 0, fmt.Errorf("the answer has more than %d MiB", maxLoginBody>>20)
	}
	return n, err //nolint:wrapcheck // io.EOF has to be itself
}
