package lsp

import (
	"context"
	"io"

	"go.lsp.dev/uri"

	"forge/lsp/editor"
	"forge/lsp/transport"
)

// ServeWith is Serve with more methods.
func ServeWith(ctx context.Context, in io.Reader, out io.Writer, o Options, register func(s *Server)) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, o)
	register(s)
	return s.serve(ctx, cancel, in, out)
}

// OnRequest is onRequest.
func OnRequest[P, R any](s *Server, name string, f func(ctx context.Context, p *P) (R, error)) {
	transport.OnRequest(s.dispatcher, name, f)
}

// OnNotification is onNotification.
func OnNotification[P any](s *Server, name string, f func(ctx context.Context, p *P)) {
	transport.OnNotification(s.dispatcher, name, f)
}

// Client returns the client of a server that runs.
func (s *Server) Client() *transport.Client { return s.client }

// Snapshot returns the open documents.
func (s *Server) Snapshot() []editor.Document { return s.docs.Snapshot() }

// Open returns one open document.
func (s *Server) Open(u uri.URI) (editor.Document, bool) { return s.docs.Document(u) }

// Folders returns the workspace folders.
func (s *Server) Folders() []editor.Folder { return s.session.CurrentFolders() }

// Grace is how long Serve waits for work.
const Grace = grace
