package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codeRequestFailed says that a request was sound but could not be done (LSP 3.17).
const codeRequestFailed jsonrpc2.Code = -32803

// Dispatcher hands the messages of a connection to the handlers that are registered. It owns the table of methods and the requests that are
// being answered.
type Dispatcher struct {
	tasks    *Tasks
	log      *slog.Logger
	report   func(format string, args ...any) // takes what must not happen, such as a panic in a handler
	admits   func(method string) error        // whether a request may be answered now; the error is the answer if not
	hears    func(method string) bool         // whether a notification counts now
	methods  map[string]method
	inflight inflight
}

// NewDispatcher returns a dispatcher without handlers. Requests count as work of t.
func NewDispatcher(t *Tasks, log *slog.Logger, admits func(method string) error, hears func(method string) bool) *Dispatcher {
	d := &Dispatcher{tasks: t, log: log, report: t.report, admits: admits, hears: hears, methods: map[string]method{}}
	OnNotification(d, protocol.MethodCancelRequest, d.cancelRequest)
	return d
}

// Connect begins to serve in and out, and lets the client be called. ctx is that of the session.
func (d *Dispatcher) Connect(ctx context.Context, in io.Reader, out io.Writer, c *Client) *Stream {
	stream := newStream(in, out, d.log)
	c.conn = jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(Codec{}))
	d.tasks.Run("refusals", stream.sendRefusals)
	c.conn.Go(ctx, d.handle)
	return stream
}

// method is an entry of the table: one of its functions is set.
type method struct {
	// request answers in a goroutine of its own.
	request func(ctx context.Context, params []byte) (any, error)
	// inline answers on the read loop, before the next message is read: only for the lifecycle.
	inline func(params []byte) (any, error)
	// notification runs on the read loop, in the order of the wire.
	notification func(ctx context.Context, params []byte) error
}

// Inline registers a request that is answered on the read loop, before the next message is read: only for the lifecycle.
func (d *Dispatcher) Inline(name string, f func(params []byte) (any, error)) {
	d.methods[name] = method{inline: f}
}

// OnRequest registers a request handler. It runs in its own goroutine; ctx ends when the client
// cancels the request or goes away. An error that is no *jsonrpc2.Error is answered as "request
// failed" with its text, which the user will read.
func OnRequest[P, R any](d *Dispatcher, name string, f func(ctx context.Context, p *P) (R, error)) {
	d.methods[name] = method{request: func(ctx context.Context, params []byte) (any, error) {
		p, err := Decode[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}}
}

// OnNotification registers a notification handler. It runs on the read loop, so that notifications
// are handled in order: it must be quick, and must not use the client; what takes longer goes to
// Server.Go.
func OnNotification[P any](d *Dispatcher, name string, f func(ctx context.Context, p *P)) {
	d.methods[name] = method{notification: func(ctx context.Context, params []byte) error {
		p, err := Decode[P](params)
		if err != nil {
			return err
		}
		f(ctx, p)
		return nil
	}}
}

// handle is the connection's handler. It never returns an error for a notification, and never panics:
// both would end the connection.
func (d *Dispatcher) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	base := jsonrpc2.DetachContext(ctx)
	if !req.IsCall() {
		d.handleNotification(base, req)
		return nil, nil
	}
	if err := d.admits(req.Method()); err != nil {
		jsonrpc2.Async(ctx)
		return nil, err
	}
	m := d.methods[req.Method()]
	if m.inline != nil {
		return d.answer(req.Method(), func() (any, error) { return m.inline(req.Params()) })
	}
	// Registered before the next message can be read, so that a cancellation always finds it.
	running, call := d.begin(base, req.ID())
	jsonrpc2.Async(ctx)
	if call == nil {
		return nil, protocol.ErrRequestCancelled
	}
	defer d.finish(call)
	if m.request == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the method %q is not known", req.Method())
	}
	if running.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	result, err := d.answer(req.Method(), func() (any, error) { return m.request(running, req.Params()) })
	return result, d.wireError(running, err)
}

// answer runs a handler and encodes its result here, where a panic costs only this request.
func (d *Dispatcher) answer(name string, f func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, d.internalError(name, r)
		}
	}()
	value, err := f()
	if err != nil {
		return nil, err
	}
	raw, err := Codec{}.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return jsonrpc2.RawMessage(raw), nil
}

func (d *Dispatcher) internalError(name string, cause any) error {
	d.report("panic in %s: %v\n%s", name, cause, debug.Stack())
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "Forge met an error of its own in %s; its log has the details", name)
}

// wireError gives every error the code the client expects.
func (d *Dispatcher) wireError(ctx context.Context, err error) error {
	var wire *jsonrpc2.Error
	switch {
	case err == nil || errors.As(err, &wire):
		return err
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return protocol.ErrRequestCancelled
	default:
		return jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
}

func (d *Dispatcher) handleNotification(base context.Context, req *jsonrpc2.Request) {
	name := req.Method()
	m := d.methods[name]
	if m.notification == nil || !d.hears(name) {
		if !strings.HasPrefix(name, "$/") {
			d.log.Debug("notification ignored", "method", name)
		}
		return
	}
	defer func() {
		if r := recover(); r != nil {
			d.report("panic in %s: %v\n%s", name, r, debug.Stack())
		}
	}()
	if err := m.notification(markReadLoop(base), req.Params()); err != nil {
		d.log.Warn("notification ignored", "method", name, "why", err)
	}
}

// readLoopKey marks the context of what runs on the read loop.
type readLoopKey struct{}

func markReadLoop(ctx context.Context) context.Context {
	return context.WithValue(ctx, readLoopKey{}, true)
}

func onReadLoop(ctx context.Context) bool { return ctx.Value(readLoopKey{}) != nil }
