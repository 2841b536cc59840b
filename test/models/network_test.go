// Package models is what becomes of the faults of models, with everything between a step and a provider in place: the
// adapters of three formats, and all that stands around them.
package models

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"forge/engine/llm/llmtest"
)

// network connects clients to one server in memory, so that time in it is that of a test.
type network struct {
	connections chan net.Conn
	closed      chan struct{}
	refusals    int // how many further connections are refused
}

func newNetwork() *network {
	return &network{connections: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the server, whatever the address.
func (n *network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if n.refusals > 0 {
		n.refusals--
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	client, server := net.Pipe()
	select {
	case n.connections <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case connection := <-n.connections:
		return connection, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *network) Close() error {
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

// Addr implements net.Listener.
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// server answers from one script at a time, and notes when it was asked.
type server struct {
	network   *network
	transport *http.Transport

	mu       sync.Mutex // guards what follows
	script   *llmtest.Script
	handler  http.Handler
	asked    []time.Time   // chats, and submissions of jobs
	until    time.Time     // what the provider asked to wait for
	patience time.Duration // what it will ask for with its next answer
	early    int           // who did not
}

// serve serves until the test ends.
func serve(t *testing.T) *server {
	t.Helper()
	s := &server{network: newNetwork()}
	s.transport = &http.Transport{DialContext: s.network.Dial}
	var serving, handlers sync.WaitGroup
	stop, cancel := context.WithCancel(context.Background())
	web := &http.Server{
		BaseContext: func(net.Listener) context.Context { return stop },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handlers.Add(1)
			defer handlers.Done()
			s.note(r).ServeHTTP(w, r)
		}),
	}
	serving.Go(func() { _ = web.Serve(s.network) })
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		cancel()
		_ = web.Close()
		serving.Wait()
		handlers.Wait()
	})
	return s
}

// play lets another script answer from now on. The jobs of the one before stay.
func (s *server) play(script *llmtest.Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script != nil {
		script.Adopt(s.script)
	}
	s.script, s.handler = script, llmtest.Handler(script, nil)
}

// onFault says that with its next answer the provider asks for patience.
func (s *server) onFault(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.patience = d
}

// buys are the paths of requests that are billed.
var buys = map[string]bool{
	"/v1/chat/completions": true, "/v1/messages": true, "/api/chat": true, "/v1/batches": true, "/v1/messages/batches": true,
}

func (s *server) note(r *http.Request) http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost && buys[r.URL.Path] {
		now := time.Now()
		if now.Before(s.until) {
			s.early++
		}
		s.asked = append(s.asked, now)
		if s.patience > 0 {
			s.until, s.patience = now.Add(s.patience), 0
		}
	}
	return s.handler
}
