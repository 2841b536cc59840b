package conform_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"forge/engine/llm/llmtest"
)

// session is a server with a script, and a record of its requests.
type session struct {
	script *llmtest.Script
	base   string
	client *http.Client // counts

	asked chan struct{} // has a token for each request that was read
	gone  chan struct{} // has a token for each request that was answered, or whose client disconnected

	mu     sync.Mutex // guards the fields below
	sent   []http.Header
	bodies [][]byte
	urls   []string

	close func()
}

// listen serves a script on loopback until close.
func listen(ctx context.Context, script *llmtest.Script) (*session, error) {
	listener, err := llmtest.Listen(ctx, 0)
	if err != nil {
		return nil, err
	}
	s := &session{
		script: script, base: "http://" + listener.Addr().String(),
		asked: make(chan struct{}, 1<<16), gone: make(chan struct{}, 1<<16),
	}
	transport := &http.Transport{}
	s.client = &http.Client{Transport: counting{s, transport}}
	inner := llmtest.Handler(script, nil)
	var handlers, serving sync.WaitGroup
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		body, _ := io.ReadAll(r.Body) // otherwise the server does not notice a disconnected client
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.asked <- struct{}{}
		handled, done := context.WithCancel(r.Context())
		defer context.AfterFunc(stop, done)()
		defer func() { s.gone <- struct{}{} }()
		inner.ServeHTTP(w, r.WithContext(handled))
	})}
	serving.Go(func() { _ = server.Serve(listener) })
	s.close = func() {
		transport.CloseIdleConnections()
		cancel()
		_ = server.Close()
		serving.Wait()
		handlers.Wait()
	}
	return s, nil
}

// counting is a transport that records the requests.
type counting struct {
	session *session
	inner   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	c.session.note(r, body)
	return c.inner.RoundTrip(r)
}

// CloseIdleConnections makes the transport's method available to http.Client.
func (c counting) CloseIdleConnections() {
	if closer, ok := c.inner.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func (s *session) note(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, r.Header.Clone())
	s.bodies = append(s.bodies, body)
	s.urls = append(s.urls, r.URL.String())
}

// request returns the headers, body and URL of the last request.
func (s *session) request() (http.Header, []byte, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.sent) - 1
	if last < 0 {
		return http.Header{}, nil, ""
	}
	return s.sent[last], s.bodies[last], s.urls[last]
}
