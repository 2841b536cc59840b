// Package lsptest is a fake editor: it speaks LSP on the wire, byte by byte as an editor would, and
// keeps count of everything the server says. Its client side shares no code with package lsp.
//
//	e := lsptest.Start(t, lsp.Options{})        // a server in this process
//	e.Initialize(nil)                           // initialize and initialized
//	e.Open("file:///w/main.go", "go", source)
//	err := e.Request(method, params, &result)   // waits
//	raw := e.Expect("textDocument/publishDiagnostics", nil)
//
// A request of the server is answered at once, by what Handle was given for the method, or politely
// with null. Every wait fails the test as soon as it cannot be met, because the server has ended, and
// at the latest after Patience.
package lsptest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/lsp"
)

// Patience is how long an expectation waits for what never comes. No test that passes takes so long.
const Patience = 5 * time.Minute

// Answer is how the editor answers a request of the server: a protocol value, or an error.
type Answer func(params []byte) (result any, err error)

// Editor is the client's end of a session.
type Editor struct {
	t      testing.TB
	out    io.WriteCloser
	exited chan struct{} // closed when the server has ended
	code   int           // valid once exited is closed
	bytes  bool          // positions count bytes of UTF-8; set by Initialize

	writing sync.Mutex // serialises frames

	mu        sync.Mutex // guards what follows
	changed   chan struct{}
	nextID    int64
	answers   map[jsonrpc2.ID][]*jsonrpc2.Response
	refusals  []*jsonrpc2.Response // with id null
	incoming  []Message            // notifications and requests of the server, oldest first
	handlers  map[string]Answer
	documents map[string]*openDocument
	malformed error
	closed    bool // nothing more comes from the server
}

// Message is a notification or a request of the server.
type Message struct {
	Method string
	Params []byte
	Call   bool // it is a request
}

// Start runs a server in this process and connects an editor that has said nothing yet. When the test
// ends, so does the server.
func Start(t testing.TB, o lsp.Options) *Editor {
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	e := Connect(t, fromServer, toServer, func() int {
		defer func() { _ = toEditor.Close() }()
		return lsp.Serve(ctx, fromEditor, toEditor, o)
	})
	t.Cleanup(func() {
		cancel()
		<-e.exited
	})
	return e
}

// Connect makes an editor on the two ends of a server that runs elsewhere. wait returns the server's
// exit code once it has ended.
func Connect(t testing.TB, in io.Reader, out io.WriteCloser, wait func() int) *Editor {
	e := &Editor{
		t: t, out: out, exited: make(chan struct{}), changed: make(chan struct{}),
		answers:  map[jsonrpc2.ID][]*jsonrpc2.Response{},
		handlers: map[string]Answer{}, documents: map[string]*openDocument{},
	}
	e.handlers[protocol.MethodWorkspaceApplyEdit] = e.applyEdit
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.read(bufio.NewReader(in))
	}()
	go func() {
		defer close(e.exited)
		e.code = wait()
	}()
	t.Cleanup(func() {
		_ = out.Close()
		<-e.exited
		<-done
		if e.malformed != nil {
			t.Errorf("the server's output is malformed: %v", e.malformed)
		}
	})
	return e
}

// Handle sets how a request of the server is answered from now on.
func (e *Editor) Handle(method string, answer Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handlers[method] = answer
}

// Initialize shakes hands. The function, which may be nil, changes what the editor says of itself:
// by default it is one that can everything plain LSP offers, without a folder.
func (e *Editor) Initialize(change func(p *protocol.InitializeParams)) *protocol.InitializeResult {
	e.t.Helper()
	params := &protocol.InitializeParams{ClientInfo: protocol.ClientInfo{Name: "lsptest"}, Capabilities: Capabilities()}
	if change != nil {
		change(params)
	}
	var result protocol.InitializeResult
	if err := e.Request(protocol.MethodInitialize, params, &result); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	e.bytes = result.Capabilities.PositionEncoding == protocol.PositionEncodingKindUTF8
	e.Notify(protocol.MethodInitialized, &protocol.InitializedParams{})
	return &result
}

// Request sends a request and waits for its answer. The error is the server's, a *jsonrpc2.Error.
func (e *Editor) Request(method string, params, result any) error {
	e.t.Helper()
	return e.Await(e.Post(method, params), result)
}

// Post sends a request and returns its id, for Await or Cancel.
func (e *Editor) Post(method string, params any) jsonrpc2.ID {
	e.t.Helper()
	e.mu.Lock()
	e.nextID++
	id := jsonrpc2.NewNumberID(e.nextID)
	e.mu.Unlock()
	e.PostAs(id, method, params)
	return id
}

// PostAs sends a request with an id of the test's choice.
func (e *Editor) PostAs(id jsonrpc2.ID, method string, params any) {
	e.t.Helper()
	e.send(jsonrpc2.AppendCall(nil, id, method, e.encode(params)))
}

// Await waits for the answer to a request, and decodes it into result unless that is nil.
func (e *Editor) Await(id jsonrpc2.ID, result any) error {
	e.t.Helper()
	var answer *jsonrpc2.Response
	e.until(fmt.Sprintf("an answer to request %v", id), func() bool {
		if got := e.answers[id]; len(got) > 0 {
			answer = got[0]
		}
		return answer != nil
	})
	if answer.Err() != nil {
		return answer.Err()
	}
	if result == nil {
		return nil
	}
	if err := protocol.Unmarshal(answer.Result(), result); err != nil {
		e.t.Fatalf("the answer to request %v: %v", id, err)
	}
	return nil
}

// Answers waits until a request has n answers and returns them; one is what a server owes.
func (e *Editor) Answers(id jsonrpc2.ID, n int) []*jsonrpc2.Response {
	e.t.Helper()
	var got []*jsonrpc2.Response
	e.until(fmt.Sprintf("%d answers to request %v", n, id), func() bool {
		got = append(got[:0], e.answers[id]...)
		return len(got) >= n
	})
	return got
}

// Refusal waits for the n-th error with id null, from 0, and returns it.
func (e *Editor) Refusal(n int) *jsonrpc2.Error {
	e.t.Helper()
	var refusal error
	e.until("an error with id null", func() bool {
		if len(e.refusals) > n {
			refusal = e.refusals[n].Err()
		}
		return refusal != nil
	})
	var wire *jsonrpc2.Error
	if !errors.As(refusal, &wire) {
		e.t.Fatalf("an answer with id null is no error")
	}
	return wire
}

// Refusals returns how many errors with id null have come so far.
func (e *Editor) Refusals() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.refusals)
}

// Cancel sends $/cancelRequest.
func (e *Editor) Cancel(id jsonrpc2.ID) {
	e.t.Helper()
	number, _ := id.Number()
	e.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, number))
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	e.send(jsonrpc2.AppendNotification(nil, method, e.encode(params)))
}

// Expect waits for a message of the server, a notification or a request, and returns its params. The
// oldest one that fits is taken, and given out only once. match may be nil.
func (e *Editor) Expect(method string, match func(params []byte) bool) []byte {
	e.t.Helper()
	var params []byte
	e.until("a "+method, func() bool {
		for i, m := range e.incoming {
			if m.Method == method && (match == nil || match(m.Params)) {
				params = m.Params
				e.incoming = append(e.incoming[:i:i], e.incoming[i+1:]...)
				return true
			}
		}
		return false
	})
	return params
}

// Messages returns the server's messages that no Expect has consumed yet, oldest first.
func (e *Editor) Messages() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Message(nil), e.incoming...)
}

// Shutdown asks the server to shut down and to exit, and returns its exit code.
func (e *Editor) Shutdown() int {
	e.t.Helper()
	if err := e.Request(protocol.MethodShutdown, nil, nil); err != nil {
		e.t.Fatalf("shutdown: %v", err)
	}
	e.Notify(protocol.MethodExit, nil)
	return e.ExitCode()
}

// CloseInput ends what the server reads, as an editor does that is gone.
func (e *Editor) CloseInput() { _ = e.out.Close() }

// ExitCode waits until the server has ended.
func (e *Editor) ExitCode() int {
	e.t.Helper()
	select {
	case <-e.exited:
		return e.code
	case <-time.After(Patience):
		e.t.Fatal("the server does not end")
		return -1
	}
}

// until waits for a condition, which is asked with mu held, and fails the test when it cannot be met.
func (e *Editor) until(what string, met func() bool) {
	e.t.Helper()
	timeout := time.After(Patience)
	for {
		e.mu.Lock()
		ok, closed, changed := met(), e.closed, e.changed
		e.mu.Unlock()
		switch {
		case ok:
			return
		case closed:
			e.t.Fatalf("waiting for %s: the server has ended", what)
		}
		select {
		case <-changed:
		case <-timeout:
			e.t.Fatalf("waiting for %s: nothing came", what)
		}
	}
}

// Answering returns how a request of the server is answered now, so that a test can wrap it: delay it,
// do a part of it, or only pretend.
func (e *Editor) Answering(method string) Answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.handlers[method]
}
