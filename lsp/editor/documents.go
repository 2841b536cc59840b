package editor

import (
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Document is an open document in the version that the client sent last. It is an immutable value.
type Document struct {
	URI        uri.URI // as the client writes it
	LanguageID string
	Version    int32
	Text       string // UTF-8; what was not, is U+FFFD

	unit Encoding
}

// Lines returns an index over the document's text. It costs a pass over the text; keep it.
func (d Document) Lines() *Lines { return NewLines(d.Text, d.unit) }

// Event says what happened to a document.
type BufferEvent int

// The events of a document.
const (
	Opened BufferEvent = iota
	Changed
	Saved
	Closed
)

// Observer receives each change of a document; u is as the client writes it.
type Observer func(u uri.URI, what BufferEvent)

// Documents are the open documents. Changes come in on the read loop, in order; everything else may
// read at any time.
type Documents struct {
	Unit Encoding // set once, by initialize

	mu   sync.Mutex
	open map[string]*buffer // by documentKey; guarded by mu
}

// NewDocuments returns no open documents. Until Unit is set, clients count in UTF-16.
func NewDocuments() *Documents {
	return &Documents{Unit: protocol.PositionEncodingKindUTF16, open: map[string]*buffer{}}
}

// Document returns an open document. Two spellings of one file's URI are one document.
func (d *Documents) Document(u uri.URI) (Document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.open[Key(u)]
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

// Key is what identifies a document: a file's path, or else its URI.
func Key(u uri.URI) string {
	if path, ok := FilePath(u); ok {
		return path
	}
	return string(u)
}

// FilePath returns the absolute path of a file URI, and false for any other.
func FilePath(u uri.URI) (string, bool) {
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

// Begin opens a document, or replaces an open one.
func (d *Documents) Begin(item protocol.TextDocumentItem) {
	b := newBuffer(item, d.Unit)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[Key(item.URI)] = b
}

// End closes a document.
func (d *Documents) End(u uri.URI) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, Key(u))
}

// Change applies edits in order, each to the result of the one before; false means not open. It
// also accepts a version older than the last one: the edits describe the client's text.
func (d *Documents) Change(u uri.URI, version int32, edits []protocol.TextDocumentContentChangeEvent) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.open[Key(u)]
	if b == nil {
		return false
	}
	for _, edit := range edits {
		b.apply(edit)
	}
	b.version = version
	return true
}
