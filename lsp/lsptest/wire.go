package lsptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Raw sends one frame around a body, whatever it is.
func (e *Editor) Raw(body string) {
	e.t.Helper()
	e.send([]byte(body))
}

// Bytes writes bytes as they are, with no frame. After the server has ended the bytes are lost,
// which is no failure.
func (e *Editor) Bytes(data []byte) {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, _ = e.out.Write(data)
}

func (e *Editor) send(body []byte) {
	e.Bytes(append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...))
}

func (e *Editor) encode(params any) jsonrpc2.RawMessage {
	e.t.Helper()
	if params == nil {
		return nil
	}
	if raw, ok := params.(jsonrpc2.RawMessage); ok {
		return raw
	}
	raw, err := protocol.Marshal(params)
	if err != nil {
		e.t.Fatalf("encode params: %v", err)
	}
	return raw
}

// read takes frames until the server's output ends.
func (e *Editor) read(in *bufio.Reader) {
	for {
		body, err := readFrame(in)
		if err == nil {
			err = e.take(body)
		}
		if err == nil {
			continue
		}
		e.update(func() {
			e.closed = true
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) { // the test may close its end
				e.malformed = err
			}
		})
		_, _ = io.Copy(io.Discard, in) // never make the server wait
		return
	}
}

// readFrame is strict: exactly one header field, as servers write it.
func readFrame(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		if line != "" {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	value, ok := strings.CutPrefix(line, "Content-Length: ")
	length, err := strconv.Atoi(strings.TrimSuffix(value, "\r\n"))
	if blank, _ := in.ReadString('\n'); !ok || err != nil || blank != "\r\n" {
		return nil, fmt.Errorf("no header: %q", line)
	}
	body := make([]byte, length)
	_, err = io.ReadFull(in, body)
	return body, err
}

func (e *Editor) take(body []byte) error {
	message, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return fmt.Errorf("decode %q: %w", body, err)
	}
	switch m := message.(type) {
	case *jsonrpc2.Response:
		e.update(func() {
			if m.ID().IsValid() {
				e.answers[m.ID()] = append(e.answers[m.ID()], m)
			} else {
				e.refusals = append(e.refusals, m)
			}
		})
	case *jsonrpc2.Notification:
		e.update(func() { e.incoming = append(e.incoming, Message{Method: m.Method(), Params: m.Params()}) })
	case *jsonrpc2.Call:
		e.update(func() {
			e.incoming = append(e.incoming, Message{Method: m.Method(), Params: m.Params(), Call: true})
		})
		go e.reply(m) // a handler may wait, and send; the reader must not
	}
	return nil
}

func (e *Editor) reply(call *jsonrpc2.Call) {
	e.mu.Lock()
	answer := e.handlers[call.Method()]
	e.mu.Unlock()
	result, err := any(nil), error(nil)
	if answer != nil {
		result, err = answer(call.Params())
	}
	raw := []byte("null")
	if err == nil && result != nil {
		raw, err = protocol.Marshal(result)
	}
	e.send(jsonrpc2.AppendResponse(nil, call.ID(), raw, err))
}

// update changes state and wakes every waiter.
func (e *Editor) update(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.changed)
	e.changed = make(chan struct{})
}
