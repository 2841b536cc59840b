package wire

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"forge/engine/llm"
)

// The errors of a silent server.
var (
	errNoHeader = errors.New("no answer began in time")
	errIdle     = errors.New("the answer fell silent")
)

// grace is how long to wait for the usage, which follows the end of the answer.
const grace = 5 * time.Second

// Framing is the form of an answer's body.
type Framing int

// The framings.
const (
	Document    Framing = iota // one JSON document; Do passes it on when it is complete, or returns an error
	Events                     // an event stream; Do passes on each event as one complete line of data
	NamedEvents                // the same, with a name line before and a blank line after each event
	Lines                      // JSON documents, one per line; Do passes on each as one complete line
	Records                    // Lines that may contain errors that are not the call's: the results of a batch
)

// Exchange is one request and its response. It is the HTTP client for a provider's library.
type Exchange struct {
	// Restate, if not nil, changes the request before it is sent.
	Restate func(*http.Request) error

	server  *Server
	framing Framing
	header  time.Duration // limits the time to the first byte of the response
	idle    time.Duration // limits the time between two reads of it
	tags    http.Header   // sent with the request
	whole   bool          // its answer comes in one piece, at its end

	bound *longAnswerError // the limit of the answer; nil is none
	read  int              // bytes of the answer so far

	cancelled func() error // the caller's reason to stop, or nil
	overtime  func() error // the time-out that ended the exchange, or nil
	cancel    context.CancelCauseFunc
	answered  bool // the header of a successful response has arrived
}

// Exchange starts an exchange. The returned context limits it; End must be called.
func (s *Server) Exchange(caller context.Context, f Framing) (*Exchange, context.Context) {
	ctx, cancel := context.WithCancelCause(caller)
	return &Exchange{
		server: s, framing: f, header: s.HeaderTimeout, idle: s.IdleTimeout, tags: http.Header{},
		cancelled: caller.Err, overtime: func() error { return context.Cause(ctx) }, cancel: cancel,
	}, ctx
}

// End releases the exchange, and its connection if the answer was not read to its end.
func (x *Exchange) End() { x.cancel(nil) }

// Tag sets the request of the exchange. It adds headers that are not part of the prompt: the key of the call, and for
// scripted servers the node. It limits the answer according to the request, and the time for an answer in one piece, of which
// nothing may arrive before its end.
func (x *Exchange) Tag(r llm.Request) {
	x.bound = bound(x.framing, r)
	if r.Whole {
		x.whole, x.header, x.idle = true, r.Within(x.header), r.Within(x.idle)
	}
	if x.server.TagRequests {
		x.tags.Set("X-Forge-Node", r.Node)
		x.tags.Set("X-Forge-Attempt", strconv.Itoa(r.Attempt))
	}
	if r.Key != "" {
		x.tags.Set("Idempotency-Key", r.Key)
	}
}

// Settle shortens the time-out once the answer is complete.
func (x *Exchange) Settle() { x.idle = min(x.idle, grace) }

// Do sends a request and returns a successful response, framed. Other results are errors for Failure, except for a
// *WholeError, which may be an answer.
func (x *Exchange) Do(request *http.Request) (*http.Response, error) {
	if x.Restate != nil {
		if err := x.Restate(request); err != nil {
			return nil, err
		}
	}
	request.GetBody = nil // otherwise the transport may retry it, because it has an Idempotency-Key
	maps.Copy(request.Header, x.tags)
	timer := time.AfterFunc(x.header, func() { x.cancel(errNoHeader) })
	response, err := x.server.HTTP.Do(request)
	timer.Stop()
	if err != nil {
		return nil, err
	}
	response.Body = x.watch(response.Body)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close() //nolint:errcheck // the failure that counts is the status
		return nil, x.server.rejection(response)
	}
	x.answered = true
	if x.framing.streams() && isDocument(response) {
		return nil, x.server.asWhole(response.Body)
	}
	response.Body = x.frame(response.Body)
	return response, nil
}

func (x *Exchange) frame(body io.ReadCloser) io.ReadCloser {
	switch x.framing {
	case Events, NamedEvents:
		events := newEvents(body, x.server.stray)
		events.named = x.framing == NamedEvents
		return events
	case Lines:
		return newLines(body, x.server.stray)
	case Records:
		records := newLines(body, x.server.stray)
		records.records = true
		return records
	default:
		return newDocument(body, x.server.stray)
	}
}

// watched is a body with a time-out for each read.
type watched struct {
	io.ReadCloser
	exchange *Exchange
	timer    *time.Timer
}

func (x *Exchange) watch(body io.ReadCloser) io.ReadCloser {
	timer := time.AfterFunc(x.idle, func() { x.cancel(errIdle) })
	timer.Stop()
	return &watched{ReadCloser: body, exchange: x, timer: timer}
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.exchange.idle)
	defer w.timer.Stop()
	n, err := w.ReadCloser.Read(p)
	if long := w.exchange.countBytes(n); long != nil {
		return 0, long
	}
	return n, err
}
