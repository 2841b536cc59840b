package lsp

import (
	"context"
	"sync"

	"forge/lsp/document"
	"forge/lsp/transport"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
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

// session is what the handshake settled.
//
// Invariant: client is written by initialize alone, before any other request is admitted.
type session struct {
	client client

	mu      sync.Mutex
	phase   phase    // guarded by mu
	folders []Folder // guarded by mu
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

func (s *Server) registerLifecycle() {
	s.dispatcher.Inline(protocol.MethodInitialize, s.initialize)
	s.dispatcher.Inline(protocol.MethodShutdown, s.shutdown)
	transport.OnNotification(s.dispatcher, protocol.MethodInitialized, s.clientIsReady)
	transport.OnNotification(s.dispatcher, protocol.MethodExit, func(context.Context, *transport.NoParams) { s.end() })
}

// initialize settles the session. It does no work: editors wait for it before they show a file.
func (s *Server) initialize(params []byte) (any, error) {
	p, err := transport.Decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, err
	}
	s.session.client = readClient(p)
	s.session.setFolders(initialFolders(p))
	s.docs.Unit = chooseEncoding(p)
	s.watchProcess(p.ProcessID)
	s.session.enter(running)

	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "forge", Version: protocol.NewOptional(s.options.Version)},
	}
	result.Capabilities.PositionEncoding = s.docs.Unit
	for _, add := range s.announcers {
		add(&result.Capabilities)
	}
	return result, nil
}

// clientIsReady handles initialized.
func (s *Server) clientIsReady(context.Context, *transport.NoParams) {
	for _, f := range s.initialized {
		f()
	}
}

// shutdown cancels the work of the session. Requests that are being answered are answered; new ones
// are not.
func (s *Server) shutdown([]byte) (any, error) {
	s.session.enter(shutdown)
	s.tasks.Cancel()
	return nil, nil
}

// chooseEncoding returns the first of the client's encodings that Forge knows, which is all of LSP's.
func chooseEncoding(p *protocol.InitializeParams) document.Encoding {
	if general := p.Capabilities.General; general != nil {
		for _, offered := range general.PositionEncodings {
			switch offered {
			case protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32:
				return offered
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// end lets Serve return.
func (s *Server) end() { s.endOnce.Do(func() { close(s.stop) }) }
