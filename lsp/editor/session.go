package editor

import (
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// phase is the phase of a session.
type phase int

// The phases, in the only order they can take.
const (
	fresh    phase = iota // nothing but initialize is answered
	Running               // initialize was answered
	Shutdown              // nothing is answered any more; exit ends the process
)

// Session is what the handshake settled.
//
// Invariant: client is written by initialize alone, before any other request is admitted.
type Session struct {
	client client

	mu      sync.Mutex
	phase   phase    // guarded by mu
	folders []Folder // guarded by mu
}

// Admits reports whether a request may be answered in this phase; if not, its error is the answer.
func (s *Session) Admits(method string) error {
	switch now := s.now(); {
	case now == Shutdown:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shutting down")
	case now == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server waits for initialize")
	case now == Running && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent before")
	}
	return nil
}

// Begin sets the client and its folders, from the parameters of initialize.
func (s *Session) Begin(p *protocol.InitializeParams) {
	s.client = readClient(p)
	s.setFolders(initialFolders(p))
}

// Change adds and removes folders that the client has opened and closed.
func (s *Session) Change(p protocol.WorkspaceFoldersChangeEvent) {
	folders := s.CurrentFolders()
	for _, gone := range p.Removed {
		if i := indexFolder(folders, gone.URI); i >= 0 {
			folders = slices.Delete(folders, i, i+1)
		}
	}
	s.setFolders(addFolders(folders, p.Added))
}

// Hears reports whether a notification is handled in this phase; others are dropped.
func (s *Session) Hears(method string) bool {
	return s.now() == Running || method == protocol.MethodExit
}

func (s *Session) now() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// Enter puts the session into a phase.
func (s *Session) Enter(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = p
}

// ExitCode returns the exit code that the protocol demands of the process: 0 after shutdown, otherwise 1.
func (s *Session) ExitCode() int {
	if s.now() == Shutdown {
		return 0
	}
	return 1
}
