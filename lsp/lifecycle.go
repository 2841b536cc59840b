package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// phase is where a session stands.
type phase int

// The phases, in the only order they can take.
const (
	fresh    phase = iota // nothing but initialize is answered
	running               // initialize was answered
	shutdown              // nothing is answered any more; exit ends the process
)

// announcer adds to the capabilities of the server.
type announcer func(c *protocol.ServerCapabilities)

// session is what the handshake settled. Its client part is written by initialize, once, before any
// other request is read.
type session struct {
	mu      sync.Mutex
	phase   phase    // guarded by mu
	folders []Folder // guarded by mu

	clientName   string
	capabilities protocol.ClientCapabilities
	forgeEvents  bool // the client takes forge/event and answers questions by command
}

// Folder is a workspace folder.
type Folder struct {
	URI  uri.URI
	Name string
	Path string // absolute; empty for a folder that is not on this file system
}

// admits tells whether a request may be answered in this phase; its error is the answer if not.
func (s *session) admits(method string) error {
	switch now := s.now(); {
	case now == shutdown:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shutting down")
	case now == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server waits for initialize")
	case now == running && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent before")
	}
	return nil
}

// hears tells whether a notification counts in this phase.
func (s *session) hears(method string) bool {
	return s.now() == running || method == protocol.MethodExit
}

func (s *session) now() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

func (s *session) enter(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = p
}

// exitCode is what the protocol asks of the process when the session ends.
func (s *session) exitCode() int {
	if s.now() == shutdown {
		return 0
	}
	return 1
}

// Folders returns the workspace folders as they are now.
func (s *session) Folders() []Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Folder(nil), s.folders...)
}

func (s *Server) registerLifecycle() {
	s.methods[protocol.MethodInitialize] = method{inline: s.initialize}
	s.methods[protocol.MethodShutdown] = method{inline: s.shutdown}
	onNotification(s, protocol.MethodInitialized, func(context.Context, *noParams) {
		for _, f := range s.initialized {
			f()
		}
	})
	onNotification(s, protocol.MethodExit, func(context.Context, *noParams) { s.end() })
	onNotification(s, protocol.MethodCancelRequest, s.cancelRequest)
}

func (s *Server) initialize(params []byte) (any, error) {
	p, err := decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, err
	}
	_ = p
	s.session.enter(running)
	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "forge", Version: protocol.NewOptional(s.options.Version)},
	}
	for _, add := range s.announcers {
		add(&result.Capabilities)
	}
	return result, nil
}

func (s *Server) shutdown([]byte) (any, error) {
	s.session.enter(shutdown)
	s.tasks.cancel()
	return nil, nil
}

// end lets Serve return. It is called on the read loop only.
func (s *Server) end() { close(s.stop) }

func processAlive(int) bool { return true }
