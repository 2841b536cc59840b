package lsp

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Document is an open document as the client last told it. It is an immutable value.
type Document struct {
	URI        uri.URI // as the client writes it
	LanguageID string
	Version    int32
	Text       string // UTF-8; what was not, is U+FFFD

	unit encoding
}

// lines returns an index over the document's text. It costs a pass over the text; keep it.
func (d Document) lines() *lines { return newLines(d.Text, d.unit) }

// documentEvent says what happened to a document.
type documentEvent int

const (
	documentOpened documentEvent = iota
	documentChanged
	documentSaved
	documentClosed
)

// documentObserver is told of a document's change; u is as the client writes it.
type documentObserver func(u uri.URI, what documentEvent)

// Documents are the open documents. Changes come in on the read loop, in order; everything else may
// read at any time.
type Documents struct {
	unit encoding // set once, by initialize

	mu   sync.Mutex
	open map[string]*buffer // by documentKey; guarded by mu
}

func newDocuments() *Documents {
	return &Documents{unit: protocol.PositionEncodingKindUTF16, open: map[string]*buffer{}}
}

// Document returns an open document. Two spellings of one file's URI are one document.
func (d *Documents) Document(u uri.URI) (Document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.open[documentKey(u)]
	if b == nil {
		return Document{}, false
	}
	return b.document(), true
}

// Snapshot returns all open documents as they are at this moment, in no order.
func (d *Documents) Snapshot() []Document {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]Document, 0, len(d.open))
	for _, b := range d.open {
		all = append(all, b.document())
	}
	return all
}

// documentKey is what identifies a document: a file's path, or else its URI.
func documentKey(u uri.URI) string {
	if path, ok := filePath(u); ok {
		return path
	}
	return string(u)
}

// filePath returns the absolute path of a file URI, and false for any other.
func filePath(u uri.URI) (string, bool) {
	if !strings.HasPrefix(string(u), "file:") {
		return "", false
	}
	parsed, err := uri.Parse(string(u))
	if err != nil {
		return "", false
	}
	path := parsed.FsPath()
	return filepath.Clean(path), filepath.IsAbs(path)
}

func (s *Server) registerDocuments() {
	onNotification(s, protocol.MethodTextDocumentDidOpen, s.didOpen)
	onNotification(s, protocol.MethodTextDocumentDidChange, s.didChange)
	onNotification(s, protocol.MethodTextDocumentDidSave, s.didSave)
	onNotification(s, protocol.MethodTextDocumentDidClose, s.didClose)
	s.announce(func(c *protocol.ServerCapabilities) {
		yes, incremental := true, protocol.TextDocumentSyncKindIncremental
		c.TextDocumentSync = &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{},
		}
	})
}

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) {
	item := p.TextDocument
	s.docs.put(item.URI, newBuffer(item, s.docs.unit))
	s.observe(item.URI, documentOpened)
}

func (s *Server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) {
	u := p.TextDocument.URI
	if !s.docs.change(u, p.TextDocument.Version, p.ContentChanges) {
		s.log.Warn("change ignored: the document is not open", "uri", u)
		return
	}
	s.observe(u, documentChanged)
}

func (s *Server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) {
	s.observe(p.TextDocument.URI, documentSaved)
}

func (s *Server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) {
	s.docs.put(p.TextDocument.URI, nil)
	s.observe(p.TextDocument.URI, documentClosed)
}

func (s *Server) observe(u uri.URI, what documentEvent) {
	for _, f := range s.observers {
		f(u, what)
	}
}

// put opens a document anew, or with nil closes it.
func (d *Documents) put(u uri.URI, b *buffer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b == nil {
		delete(d.open, documentKey(u))
		return
	}
	d.open[documentKey(u)] = b
}

// change applies edits in order, each to the result of the one before; false means not open. A
// version older than the last one is taken too: the edits tell what the client has.
func (d *Documents) change(u uri.URI, version int32, edits []protocol.TextDocumentContentChangeEvent) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.open[documentKey(u)]
	if b == nil {
		return false
	}
	for _, edit := range edits {
		b.apply(edit)
	}
	b.version = version
	return true
}
