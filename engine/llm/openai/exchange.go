package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"forge/engine/llm"
)

// The ways in which an exchange ends by silence.
var (
	errNoHeader = errors.New("no answer began in time")
	errIdle     = errors.New("the answer fell silent")
)

// grace is how long to wait for the usage, which comes behind the end of the answer.
const grace = 5 * time.Second

// exchange is one request and its response. It is the HTTP client that the library sees.
type exchange struct {
	http   *http.Client
	header time.Duration
	idle   time.Duration
	fail   func(*http.Response) error // makes an error of a response that is no answer
	stray  objection                  // nil where one document is expected instead of events

	temperature *float64    // nil sends none
	tags        http.Header // sent with the request

	cancelled func() error // of the caller: why the person's patience ended, or nil
	overtime  func() error // the time-out that ended the exchange, or nil
	cancel    context.CancelCauseFunc
	answered  bool // the header of a good response has been seen
}

// exchange starts one. The returned context bounds it; end must be called.
func (c *Client) exchange(caller context.Context) (*exchange, context.Context) {
	ctx, cancel := context.WithCancelCause(caller)
	return &exchange{
		http: c.options.HTTP, header: c.options.HeaderTimeout, idle: c.options.IdleTimeout, fail: c.rejection, stray: c.stray,
		cancelled: caller.Err, overtime: func() error { return context.Cause(ctx) }, cancel: cancel,
	}, ctx
}

func (x *exchange) end() { x.cancel(nil) }

// prepare notes what the library cannot express of a request.
func (x *exchange) prepare(r llm.Request, o Options) {
	if !reasons(o.Model) {
		x.temperature = &r.Temperature
	}
	x.tags = http.Header{}
	if o.TagRequests {
		x.tags.Set("X-Forge-Node", r.Node)
		x.tags.Set("X-Forge-Attempt", strconv.Itoa(r.Attempt))
	}
	if r.Key != "" {
		x.tags.Set("Idempotency-Key", r.Key)
	}
}

// settle shortens the patience once the answer is whole.
func (x *exchange) settle() { x.idle = min(x.idle, grace) }

// Do implements the library's HTTPDoer.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	if x.temperature != nil {
		if err := restate(request, *x.temperature); err != nil {
			return nil, err
		}
	}
	for name, values := range x.tags {
		request.Header[name] = values
	}
	timer := time.AfterFunc(x.header, func() { x.cancel(errNoHeader) })
	response, err := x.http.Do(request)
	timer.Stop()
	if err != nil {
		return nil, err
	}
	response.Body = x.watch(response.Body)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close() //nolint:errcheck // the failure that counts is the status
		return nil, x.fail(response)
	}
	x.answered = true
	if x.stray == nil {
		response.Body = limited{io.LimitReader(response.Body, maxEvent), response.Body}
	} else {
		response.Body = newEvents(response.Body, x.stray)
	}
	return response, nil
}

// limited is a body of which only the beginning is read.
type limited struct {
	io.Reader
	io.Closer
}

// watched is a body of which each read ends after the exchange's idle time.
type watched struct {
	io.ReadCloser
	exchange *exchange
	timer    *time.Timer
}

func (x *exchange) watch(body io.ReadCloser) io.ReadCloser {
	timer := time.AfterFunc(x.idle, func() { x.cancel(errIdle) })
	timer.Stop()
	return &watched{ReadCloser: body, exchange: x, timer: timer}
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.exchange.idle)
	defer w.timer.Stop()
	return w.ReadCloser.Read(p)
}
