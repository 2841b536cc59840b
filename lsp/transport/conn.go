package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/internal/lazyregexp"
)

// codeRequestFailed means that a valid request failed (LSP 3.17).
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
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s: see Forge's log", name)
}

// WithData returns an error as the answer to a request, with data for programs in JSON.
func WithData(err error, data []byte) error {
	answer := jsonrpc2.NewError(codeRequestFailed, err.Error())
	if wire, is := errors.AsType[*jsonrpc2.Error](err); is {
		answer.Code = wire.Code
	}
	answer.Data = data
	return answer
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

// inflight holds the requests that are being answered, by id, so that they can be cancelled.
type inflight struct {
	mu   sync.Mutex
	byID map[jsonrpc2.ID]*inflightCall // guarded by mu
}

// inflightCall is one request; cancel ends the context of its handler.
type inflightCall struct {
	id     jsonrpc2.ID
	cancel context.CancelFunc
}

// begin counts a request as work of the server and makes it cancellable; call is nil when the server
// is ending. The context is the handler's. A second request with an id in use is answered too, but only the newer can be cancelled.
func (d *Dispatcher) begin(base context.Context, id jsonrpc2.ID) (ctx context.Context, call *inflightCall) {
	if !d.tasks.begin() {
		return base, nil
	}
	if text, ok := id.StringValue(); ok {
		id = jsonrpc2.NewStringID(strings.Clone(text)) // it may borrow from the frame
	}
	ctx, cancel := context.WithCancel(base)
	call = &inflightCall{id: id, cancel: cancel}
	d.inflight.mu.Lock()
	defer d.inflight.mu.Unlock()
	if d.inflight.byID == nil {
		d.inflight.byID = map[jsonrpc2.ID]*inflightCall{}
	}
	d.inflight.byID[id] = call
	return ctx, call
}

func (d *Dispatcher) finish(call *inflightCall) {
	call.cancel()
	d.inflight.remove(call)
	d.tasks.end()
}

func (f *inflight) remove(call *inflightCall) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID[call.id] == call {
		delete(f.byID, call.id)
	}
}

// cancel ends the context of the request with this id; an unknown id is harmless.
func (f *inflight) cancel(id jsonrpc2.ID) {
	f.mu.Lock()
	call := f.byID[id]
	f.mu.Unlock()
	if call != nil {
		call.cancel()
	}
}

// cancelParams is protocol.CancelParams for ids as JSON-RPC has them: beyond 32 bits, or missing.
type cancelParams struct {
	ID protocol.LSPAny `json:"id"`
}

// cancelRequest handles $/cancelRequest.
func (d *Dispatcher) cancelRequest(_ context.Context, p *cancelParams) {
	if id, ok := parseID(p.ID); ok {
		d.inflight.cancel(id)
	}
}

// parseID reads an id as JSON-RPC allows it: an integer or a string.
func parseID(raw []byte) (jsonrpc2.ID, bool) {
	if number, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return jsonrpc2.NewNumberID(number), true
	}
	var text string
	if len(raw) == 0 || raw[0] != '"' || protocol.Unmarshal(raw, &text) != nil {
		return jsonrpc2.ID{}, false
	}
	return jsonrpc2.NewStringID(text), true
}

// NoParams is for methods whose parameters do not matter.
type NoParams struct{}

// Decode reads parameters; its error is an InvalidParams answer that names the field.
func Decode[P any](params []byte) (*P, error) {
	p := new(P)
	if _, none := any(p).(*NoParams); none {
		return p, nil
	}
	if len(params) == 0 {
		return nil, InvalidParams("the parameters are missing")
	}
	if err := (Codec{}).Unmarshal(params, p); err != nil {
		return nil, InvalidParams("%s", explain(params, err))
	}
	return p, nil
}

// InvalidParams is the answer to a request whose parameters are wrong; the text names the field and
// what it may be.
func InvalidParams(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, format, args...)
}

// decoderError is how the protocol package says what it expected, and at which byte.
var decoderError = lazyregexp.New(`^protocol: invalid JSON ([a-z ]+) at offset (\d+)$`)

// explain returns, for users, which parameter is wrong. The decoder's own words name bytes and Go types.
func explain(params []byte, err error) string {
	if errors.Is(err, errTooDeep) {
		return fmt.Sprintf("the parameters are nested deeper than %d levels", maxDepth)
	}
	found := decoderError.FindStringSubmatch(err.Error())
	if found == nil {
		return "the parameters do not have the form that the protocol gives them"
	}
	offset, _ := strconv.Atoi(found[2])
	if field := fieldAt(params, offset); field != "" {
		return fmt.Sprintf("%s is not a valid %s", field, found[1])
	}
	return fmt.Sprintf("the parameters are not a valid %s", found[1])
}

// container is an object or array that encloses a place in JSON.
type container struct {
	object  bool
	key     string // of an object: the member
	index   int    // of an array: the element
	wantKey bool   // the next string is a key
}

// fieldAt returns the path of the value at an offset of JSON, such as range.start.line or edits[2];
// empty for the whole.
func fieldAt(data []byte, offset int) string {
	var open []container
	for i := 0; i < min(offset, len(data)); i++ {
		inside := len(open) - 1
		switch c := data[i]; {
		case c == '{' || c == '[':
			open = append(open, container{object: c == '{', wantKey: c == '{'})
		case inside < 0:
		case c == '}' || c == ']':
			open = open[:inside]
		case c == ',':
			open[inside].index++
			open[inside].wantKey = open[inside].object
		case c == '"':
			end := min(stringEnd(data, i), len(data))
			if open[inside].wantKey {
				open[inside].key, open[inside].wantKey = string(data[i+1:end]), false
			}
			i = end
		}
	}
	return pathOf(open)
}

func pathOf(open []container) string {
	var b strings.Builder
	for _, c := range open {
		switch {
		case !c.object:
			fmt.Fprintf(&b, "[%d]", c.index)
		case b.Len() > 0:
			b.WriteString("." + c.key)
		default:
			b.WriteString(c.key)
		}
	}
	return b.String()
}
