package transport

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

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
