package cassette

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Recorder is a proxy between a client and a server that records their exchanges. NewRecorder creates it.
type Recorder struct {
	upstream *url.URL
	proxy    *httputil.ReverseProxy
	now      func() time.Time

	mu    sync.Mutex // guards the fields below
	to    io.Writer
	count int
	err   error // the first failure to write
}

// NewRecorder returns a recorder for the server at a base URL; now is the clock. It writes the first line at once.
func NewRecorder(baseURL string, to io.Writer, now func() time.Time) (*Recorder, error) {
	upstream, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || upstream.Host == "" || upstream.Scheme != "http" && upstream.Scheme != "https" || upstream.User != nil {
		return nil, errors.New("record a model: the base URL of the server must begin with http:// or https://, and hold no password")
	}
	r := &Recorder{upstream: upstream, to: to, now: now}
	r.proxy = &httputil.ReverseProxy{
		Rewrite:        r.rewrite,
		Transport:      &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true},
		FlushInterval:  -1, // pieces are passed on at once
		ModifyResponse: r.tape,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			http.Error(w, `{"error":{"message":"the server that is recorded cannot be reached"}}`, http.StatusBadGateway)
		},
	}
	return r, r.write(title{Cassette: version, Base: upstream.Path})
}

// Base returns the path of base URLs, that of the server: "/v1".
func (r *Recorder) Base() string { return r.upstream.Path }

// Err returns the first error of a write, or nil. Later exchanges are not recorded.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close closes idle connections to the server.
func (r *Recorder) Close() {
	if t, ok := r.proxy.Transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// ServeHTTP passes a request on, and records the exchange when the response has ended.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxLine))
	if err != nil {
		http.Error(w, "the request broke off, or is too large", http.StatusBadRequest)
		return
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	path := pathOf(request.URL)
	t := &tape{recorder: r, began: r.now(), secrets: secrets(request), exchange: exchange{
		Number: r.next(), Method: request.Method, Path: path,
		Hash: hash(request.Method, path, request.Header.Get("Content-Type"), body),
	}}
	r.proxy.ServeHTTP(w, request.WithContext(withTape(request.Context(), t)))
}

func (r *Recorder) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	return r.count
}

func (r *Recorder) rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = r.upstream.Scheme, r.upstream.Host, r.upstream.Host
	p.Out.Header.Del("Accept-Encoding") // a cassette must be readable as text
}

// write writes one line.
func (r *Recorder) write(line any) error {
	encoded, err := json.Marshal(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.err == nil {
		_, err = r.to.Write(append(encoded, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("write the cassette: %w", err)
	}
	return r.err
}

// secrets returns the keys of a request, from its headers and its URL.
func secrets(r *http.Request) []string {
	var all []string
	for name, values := range r.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie":
			for _, value := range values {
				if _, token, found := strings.Cut(value, " "); found {
					value = token
				}
				all = append(all, value)
			}
		}
	}
	for name, values := range r.URL.Query() {
		for _, key := range keyed {
			if strings.EqualFold(name, key) {
				all = append(all, values...)
			}
		}
	}
	return all
}
