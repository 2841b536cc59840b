package lsp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codeRequestFailed says that a request was sound but could not be done (LSP 3.17).
const codeRequestFailed jsonrpc2.Code = -32803

// method is an entry of the table: one of its functions is set.
type method struct {
	// request answers in a goroutine of its own.
	request func(ctx context.Context, params []byte) (any, error)
	// inline answers on the read loop, before the next message is read: only for the lifecycle.
	inline func(params []byte) (any, error)
	// notification runs on the read loop, in the order of the wire.
	notification func(ctx context.Context, params []byte) error
}

// onRequest registers a request handler. It runs in its own goroutine; ctx ends when the client
// cancels the request or goes away. An error that is no *jsonrpc2.Error is answered as "request
// failed" with its text, which a person will read.
func onRequest[P, R any](s *Server, name string, f func(ctx context.Context, p *P) (R, error)) {
	s.methods[name] = method{request: func(ctx context.Context, params []byte) (any, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}}
}

// onNotification registers a notification handler. It runs on the read loop, so that notifications
// are handled in order: it must be quick, and must not use the client; what takes longer goes to
// Server.Go.
func onNotification[P any](s *Server, name string, f func(ctx context.Context, p *P)) {
	s.methods[name] = method{notification: func(ctx context.Context, params []byte) error {
		p, err := decode[P](params)
		if err != nil {
			return err
		}
		f(ctx, p)
		return nil
	}}
}

// handle is the connection's handler. It never returns an error for a notification, and never panics:
// both would end the connection.
func (s *Server) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	base := jsonrpc2.DetachContext(ctx)
	if !req.IsCall() {
		s.handleNotification(base, req)
		return nil, nil
	}
	if err := s.session.admits(req.Method()); err != nil {
		jsonrpc2.Async(ctx)
		return nil, err
	}
	m := s.methods[req.Method()]
	if m.inline != nil {
		return s.answer(req.Method(), func() (any, error) { return m.inline(req.Params()) })
	}
	// Registered before the next message can be read, so that a cancellation always finds it.
	running, call := s.begin(base, req.ID())
	jsonrpc2.Async(ctx)
	if call == nil {
		return nil, protocol.ErrRequestCancelled
	}
	defer s.finish(call)
	if m.request == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the method %q is not known", req.Method())
	}
	if running.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	result, err := s.answer(req.Method(), func() (any, error) { return m.request(running, req.Params()) })
	return result, s.wireError(running, err)
}

// answer runs a handler and encodes its result here, where a panic costs only this request.
func (s *Server) answer(name string, f func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, s.internalError(name, r)
		}
	}()
	value, err := f()
	if err != nil {
		return nil, err
	}
	raw, err := codec{}.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return jsonrpc2.RawMessage(raw), nil
}

func (s *Server) internalError(name string, cause any) error {
	s.options.Report("panic in %s: %v\n%s", name, cause, debug.Stack())
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "Forge met an error of its own in %s; its log has the details", name)
}

// wireError gives every error the code the client expects.
func (s *Server) wireError(ctx context.Context, err error) error {
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

func (s *Server) handleNotification(base context.Context, req *jsonrpc2.Request) {
	name := req.Method()
	m := s.methods[name]
	if m.notification == nil || !s.session.hears(name) {
		if !strings.HasPrefix(name, "$/") {
			s.log.Debug("notification ignored", "method", name)
		}
		return
	}
	defer func() {
		if r := recover(); r != nil {
			s.options.Report("panic in %s: %v\n%s", name, r, debug.Stack())
		}
	}()
	if err := m.notification(markReadLoop(base), req.Params()); err != nil {
		s.log.Warn("notification ignored", "method", name, "why", err)
	}
}

// readLoopKey marks the context of what runs on the read loop.
type readLoopKey struct{}

func markReadLoop(ctx context.Context) context.Context {
	return context.WithValue(ctx, readLoopKey{}, true)
}

func onReadLoop(ctx context.Context) bool { return ctx.Value(readLoopKey{}) != nil }
