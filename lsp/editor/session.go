package editor

import (
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// phase is where a session stands.
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

// Begin takes what the client says of itself and its folders.
func (s *Session) Begin(p *protocol.InitializeParams) {
	s.client = readClient(p)
	s.setFolders(initialFolders(p))
}

// Change takes that folders were opened and closed.
func (s *Session) Change(p protocol.WorkspaceFoldersChangeEvent) {
	folders := s.CurrentFolders()
	for _, gone := range p.Removed {
		if i := indexFolder(folders, gone.URI); i >= 0 {
			folders = slices.Delete(folders, i, i+1)
		}
	}
	s.setFolders(addFolders(folders, p.Added))
}

// Hears reports whether a notification counts in this phase.
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

// ExitCode is what the protocol asks of the process when the session ends.
func (s *Session) ExitCode() int {
	if s.now() == Shutdown {
		return 0
	}
	return 1
}
