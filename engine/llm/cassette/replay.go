package cassette

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"forge/engine/llm"
)

// Cassette replays a recording. It is strict: an unrecorded or repeated request is an error, and so is an exchange
// that was not requested. Requests are matched by their hashes; those with the same hash are answered in the order of
// the recording. It is safe for concurrent use.
type Cassette struct {
	// Paced keeps the recorded time between the pieces. Set it before the first request.
	Paced bool

	name string
	base string

	mu         sync.Mutex // guards the fields below
	left       []exchange
	unexpected []string
}

// Base returns the path of base URLs: "/v1".
func (c *Cassette) Base() string { return c.base }

// ServeHTTP returns the recorded response to a request.
func (c *Cassette) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	if err != nil {
		http.Error(w, "the request broke off, or is too large", http.StatusBadRequest)
		return
	}
	path := pathOf(r.URL)
	x, ok := c.take(r.Method, path, hash(r.Method, path, r.Header.Get("Content-Type"), body))
	if !ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"the cassette holds no such request, or no further one","type":"invalid_request_error","code":"unexpected_request"}}`)
		return
	}
	c.play(w, r, x)
}

func (c *Cassette) take(method, path, hash string) (exchange, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.left, func(x exchange) bool { return x.Hash == hash })
	if i < 0 {
		c.unexpected = append(c.unexpected, method+" "+path+", "+hash)
		return exchange{}, false
	}
	x := c.left[i]
	c.left = slices.Delete(c.left, i, i+1)
	return x, true
}

func (c *Cassette) play(w http.ResponseWriter, r *http.Request, x exchange) {
	if !c.pause(r, x.WaitMs) {
		return
	}
	for name, value := range x.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(x.Status)
	control := http.NewResponseController(w)
	_ = control.Flush() // fails only if the write fails
	passed := int64(0)
	for _, p := range x.Body {
		if !c.pause(r, p.Ms-passed) {
			return
		}
		passed = p.Ms
		if _, err := w.Write(p.data()); err != nil {
			return
		}
		_ = control.Flush()
	}
	if x.Broken {
		panic(http.ErrAbortHandler)
	}
}

// pause waits, and reports whether the client is still connected.
func (c *Cassette) pause(r *http.Request, ms int64) bool {
	if !c.Paced {
		ms = 0
	}
	return llm.Pause(r.Context(), time.Duration(ms)*time.Millisecond) == nil
}

// Verify returns nil if exactly the recorded exchanges were requested, otherwise an error that lists the differences.
func (c *Cassette) Verify() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var problems []error
	for _, x := range c.left {
		problems = append(problems, fmt.Errorf("%s: exchange %d was not requested: %s %s, %s", c.name, x.Number, x.Method, x.Path, x.Hash))
	}
	for _, request := range c.unexpected {
		problems = append(problems, fmt.Errorf("%s: not recorded: %s", c.name, request))
	}
	return errors.Join(problems...)
}
