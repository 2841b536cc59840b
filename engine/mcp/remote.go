package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// remote is a server over streamable HTTP.
//
//	SDK ─► http.Client: redirects to the same origin only ─► remote: headers, bounds ─► transport of the user's network
//
// Each message is posted once: streams are not resumed, and no stream is open outside of a call. The server gets no roots.
type remote struct {
	address *url.URL
	base    http.RoundTripper
	kept    credentials
	login   auth.OAuthHandler
	alive   context.Context //nolint:containedctx // the lifetime of all requests, ended by kill
	end     context.CancelFunc
	room    atomic.Int64          // bytes that may still be read
	broken  atomic.Pointer[error] // the first failure of an exchange
}

func newRemote(ctx context.Context, o Options, s Server) (*remote, error) {
	if err := CheckURL(s.URL); err != nil {
		return nil, err
	}
	if o.HTTP == nil || o.HTTP.Transport == nil {
		return nil, errors.New("no network is set up for servers over HTTP")
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	r := &remote{address: address, base: o.HTTP.Transport}
	if r.kept, err = readCredentials(o.Keys, s); err != nil {
		return nil, err
	}
	r.alive, r.end = context.WithCancel(ctx)
	r.login = &account{server: s.Name, keys: o.Keys, remote: r, kept: r.kept}
	r.refill(MaxBytes)
	return r, nil
}

func (r *remote) refill(limit int) { r.room.Store(int64(limit)) }
func (r *remote) kill()            { r.end() }

// fail keeps the first failure that is not the end of the connection.
func (r *remote) fail(err error) error {
	if r.alive.Err() == nil {
		r.broken.CompareAndSwap(nil, &err)
	}
	return err
}

func (r *remote) failure() error {
	if err := r.broken.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *remote) stop() error {
	r.end()
	return r.failure()
}

func (r *remote) transport() sdk.Transport {
	client := &http.Client{Transport: r, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if err := onlySameOrigin(next, before); err != nil {
			return r.fail(err)
		}
		return nil
	}}
	return &sdk.StreamableClientTransport{
		Endpoint: r.address.String(), HTTPClient: client, OAuthHandler: r.login, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: MaxBytes,
	}
}

// loginClient returns a client for the requests of a login. It does not send the headers of the server.
func (r *remote) loginClient() *http.Client {
	return &http.Client{Transport: guarded{r.base, r.address}, CheckRedirect: onlySameOrigin, Timeout: CallTimeout}
}

// RoundTrip implements http.RoundTripper: a request ends with the connection.
func (r *remote) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	release := context.AfterFunc(r.alive, cancel)
	over := func() {
		release()
		cancel()
	}
	request = request.Clone(ctx)
	for name, value := range r.kept.Headers {
		if request.Header.Get(name) == "" {
			request.Header.Set(name, value)
		}
	}
	response, err := r.base.RoundTrip(request)
	if err != nil {
		defer over()
		if request.Context().Err() == nil {
			_ = r.fail(err)
		}
		return nil, err //nolint:wrapcheck // the client wraps it
	}
	if response.StatusCode >= http.StatusInternalServerError {
		_ = r.fail(fmt.Errorf("the server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode)))
	}
	response.Body = &metered{response.Body, r, over}
	return response, nil
}

// metered is the body of an answer, within the bytes that may still be read.
type metered struct {
	io.ReadCloser
	remote *remote
	over   func()
}

// Read fails beyond the limit, and ends the connection.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if m.remote.room.Add(int64(-n)) < 0 {
		err = m.remote.fail(fmt.Errorf("the server sent more than %d MiB", MaxBytes>>20))
		m.remote.end()
		return 0, err
	}
	return n, err //nolint:wrapcheck // io.EOF has to be itself
}

// Close ends the request.
func (m *metered) Close() error {
	defer m.over()
	return m.ReadCloser.Close()
}
