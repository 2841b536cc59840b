package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp/editor"
	"forge/lsp/index"
	"forge/lsp/transport"
)

func (s *Server) registerDocuments() {
	transport.OnNotification(s.dispatcher, protocol.MethodTextDocumentDidOpen, s.didOpen)
	transport.OnNotification(s.dispatcher, protocol.MethodTextDocumentDidChange, s.didChange)
	transport.OnNotification(s.dispatcher, protocol.MethodTextDocumentDidSave, s.didSave)
	transport.OnNotification(s.dispatcher, protocol.MethodTextDocumentDidClose, s.didClose)
	s.announce(func(c *protocol.ServerCapabilities) {
		yes, incremental := true, protocol.TextDocumentSyncKindIncremental
		c.TextDocumentSync = &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{},
		}
	})
}

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) {
	item := p.TextDocument
	s.docs.Begin(item)
	s.observe(item.URI, editor.Opened)
}

func (s *Server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) {
	u := p.TextDocument.URI
	if !s.docs.Change(u, p.TextDocument.Version, p.ContentChanges) {
		s.log.Warn("change ignored: the document is not open", "uri", u)
		return
	}
	s.observe(u, editor.Changed)
}

func (s *Server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) {
	s.observe(p.TextDocument.URI, editor.Saved)
}

func (s *Server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) {
	s.docs.End(p.TextDocument.URI)
	s.observe(p.TextDocument.URI, editor.Closed)
}

func (s *Server) observe(u uri.URI, what editor.BufferEvent) {
	for _, f := range s.observers {
		f(u, what)
	}
}

func (s *Server) registerFolders() {
	transport.OnNotification(s.dispatcher, protocol.MethodWorkspaceDidChangeWorkspaceFolders, s.didChangeFolders)
	s.announce(func(c *protocol.ServerCapabilities) {
		yes := true
		c.Workspace = &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}}
	})
}

// didChangeFolders handles workspace/didChangeWorkspaceFolders. A run keeps the folder it began with.
func (s *Server) didChangeFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) {
	s.session.Change(p.Event)
}

func (s *Server) registerSymbols() {
	o := index.NewOutlines(editor.NewFolders(&s.session, s.docs), s.options.Outliner)
	transport.OnRequest(s.dispatcher, protocol.MethodTextDocumentDocumentSymbol, o.DocumentSymbol)
	s.announce(func(c *protocol.ServerCapabilities) { c.DocumentSymbolProvider = protocol.Boolean(true) })
}
