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

// Cassette plays a recording. It is strict: a request that was not recorded, or was asked more often than that, is an
// error, and so is an exchange that nobody asked for. Requests are told apart by their hashes; those of one hash are
// answered in the order of the recording. It is safe for concurrent use.
type Cassette struct {
	// Paced lets time pass between the pieces as it did. Set it before the first request.
	Paced bool

	name string
	base string

	mu         sync.Mutex // guards what follows
	left       []exchange
	unexpected []string
}

// Base is the path of base URLs: "/v1".
func (c *Cassette) Base() string { return c.base }

// ServeHTTP answers a request as it was answered.
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
	_ = control.Flush() // fails only where the write fails
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

// pause reports whether there is still somebody who listens.
func (c *Cassette) pause(r *http.Request, ms int64) bool {
	if !c.Paced {
		ms = 0
	}
	return llm.Pause(r.Context(), time.Duration(ms)*time.Millisecond) == nil
}

// Verify returns nil if every exchange was asked for, and nothing else, else an error that lists the exceptions.
func (c *Cassette) Verify() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var problems []error
	for _, x := range c.left {
		problems = append(problems, fmt.Errorf("%s: nobody asked for exchange %d: %s %s, %s", c.name, x.Number, x.Method, x.Path, x.Hash))
	}
	for _, request := range c.unexpected {
		problems = append(problems, fmt.Errorf("%s: not recorded: %s", c.name, request))
	}
	return errors.Join(problems...)
}
