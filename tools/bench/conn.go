package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// conn is the client's side of a connection to a language server. It knows JSON-RPC and nothing of any
// server's types, so that both servers are measured with the same ruler.
type conn struct {
	reply   func(method string, params json.RawMessage) any
	replies sync.WaitGroup
	done    chan struct{} // closed when the server's stream has ended

	writing sync.Mutex // guards w
	w       io.Writer

	mu      sync.Mutex
	last    int                 // guarded by mu
	pending map[int]chan answer // guarded by mu; nil once the stream has ended
}

// answer is what came back for a request.
type answer struct {
	result json.RawMessage
	err    error
}

// rpcError is an error a server answered with.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// methodNotFound is JSON-RPC's code for a request the server does not know.
const methodNotFound = -32601

// notThere reports whether a server answered that it has no such method.
func notThere(err error) bool {
	var answered *rpcError
	return errors.As(err, &answered) && answered.Code == methodNotFound
}

var errEnded = errors.New("the server ended the connection")

// message is any JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// received is a message as it comes in.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// newConn reads from r until it ends; reply answers what the server asks. The caller makes r end, and
// then waits.
func newConn(r io.Reader, w io.Writer, reply func(method string, params json.RawMessage) any) *conn {
	c := &conn{reply: reply, done: make(chan struct{}), w: w, pending: map[int]chan answer{}}
	go c.read(bufio.NewReader(r))
	return c
}

// wait blocks until the server's stream has ended and every reply is written or has failed.
func (c *conn) wait() {
	<-c.done
	c.replies.Wait()
}

func (c *conn) read(r *bufio.Reader) {
	defer close(c.done)
	defer c.abandon()
	for {
		body, err := readFrame(r)
		if err != nil {
			return
		}
		var m received
		if json.Unmarshal(body, &m) != nil {
			return // not a language server any more; every waiter gets the error
		}
		switch {
		case m.Method == "":
			c.settle(m)
		case len(m.ID) > 0:
			// Not on this goroutine: a server that waits for its output to be read may not read its input.
			c.replies.Go(func() { _ = c.send(message{ID: m.ID, Result: c.answerTo(m)}) })
		}
	}
}

// answerTo never returns nil, which would leave the result out.
func (c *conn) answerTo(m received) any {
	if result := c.reply(m.Method, m.Params); result != nil {
		return result
	}
	return json.RawMessage("null")
}

func (c *conn) settle(m received) {
	var id int
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if waiting == nil {
		return
	}
	if m.Error != nil {
		waiting <- answer{err: m.Error}
		return
	}
	waiting <- answer{result: m.Result}
}

// abandon fails every request that waits.
func (c *conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, waiting := range c.pending {
		waiting <- answer{err: errEnded}
	}
	c.pending = nil
}

func (c *conn) send(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return writeFrame(c.w, body)
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	if err := c.send(message{Method: method, Params: params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// call sends a request and waits for its answer. The error is *rpcError when the server answered one.
func (c *conn) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, waiting := c.register()
	if waiting == nil {
		return nil, fmt.Errorf("%s: %w", method, errEnded)
	}
	if err := c.send(message{ID: json.RawMessage(fmt.Sprint(id)), Method: method, Params: params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	select {
	case a := <-waiting:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", method, a.err)
		}
		return a.result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

// register makes an id and the place its answer goes to, which has room for it: no receiver need be waiting.
func (c *conn) register() (int, chan answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		return 0, nil
	}
	c.last++
	waiting := make(chan answer, 1)
	c.pending[c.last] = waiting
	return c.last, waiting
}
