package cassette

import (
	"bytes"
	"context"
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

// heeded are the headers of a response that adapters use.
var heeded = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "Location"}

// tape is the recording of one exchange.
type tape struct {
	recorder *Recorder
	began    time.Time // before the header: the start; after it: the time of the header
	secrets  []string
	exchange exchange

	body io.ReadCloser
	end  sync.Once
}

type tapeKey struct{}

func withTape(ctx context.Context, t *tape) context.Context {
	return context.WithValue(ctx, tapeKey{}, t)
}

// tape starts to record a response.
func (r *Recorder) tape(response *http.Response) error {
	t, ok := response.Request.Context().Value(tapeKey{}).(*tape)
	if !ok {
		return errors.New("a response to no request")
	}
	now := r.now()
	t.exchange.Status, t.exchange.WaitMs = response.StatusCode, now.Sub(t.began).Milliseconds()
	t.exchange.Header = map[string]string{}
	for _, name := range heeded {
		if value := response.Header.Get(name); value != "" {
			t.exchange.Header[name] = string(t.clean([]byte(value)))
		}
	}
	t.began, t.body = now, response.Body
	response.Body = t
	return nil
}

// Read implements io.Reader and records the data.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.exchange.Body = append(t.exchange.Body, newPiece(t.recorder.now().Sub(t.began).Milliseconds(), p[:n]))
	}
	if err != nil {
		t.exchange.Broken = !errors.Is(err, io.EOF)
		t.finish()
	}
	return n, err
}

// Close ends the recording. A response that was not read to its end was cancelled by the client.
func (t *tape) Close() error {
	t.end.Do(func() {
		t.exchange.Broken = true
		t.save()
	})
	return t.body.Close()
}

func (t *tape) finish() { t.end.Do(t.save) }

func (t *tape) save() {
	t.redact()
	_ = t.recorder.write(t.exchange) // Err returns the error
}

// redact removes the keys from the body. A body with a key becomes one piece, because pieces may split the key.
func (t *tape) redact() {
	var whole []byte
	for _, p := range t.exchange.Body {
		whole = append(whole, p.data()...)
	}
	if clean := t.clean(whole); !bytes.Equal(clean, whole) {
		t.exchange.Body = []piece{newPiece(t.exchange.Body[0].Ms, clean)}
	}
}

// clean removes the keys from a text. A key of fewer than four bytes is a placeholder for local servers.
func (t *tape) clean(text []byte) []byte {
	for _, secret := range t.secrets {
		if len(secret) < 4 {
			continue
		}
		text = bytes.ReplaceAll(text, []byte(secret), []byte("[key]"))
		if escaped, err := json.Marshal(secret); err == nil { // its form in a document
			text = bytes.ReplaceAll(text, escaped[1:len(escaped)-1], []byte("[key]"))
		}
	}
	return text
}
