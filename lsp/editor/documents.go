package editor

import (
	"path/filepath"
	"slices"
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

// BufferEvent is what happened to a document.
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
	open map[string]*buffer // by Key; guarded by mu
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

// buffer is the text behind a Document while the client edits it. An edit moves the bytes after it
// and looks for line breaks only in the lines it touches, so that typing at the top of a file of
// 10 MB costs less than a millisecond.
type buffer struct {
	uri      uri.URI
	language string
	version  int32
	unit     Encoding

	text   []byte
	starts []int   // of the lines of text, as in lines
	frozen *string // text as a string, nil once it was edited
}

func newBuffer(item protocol.TextDocumentItem, unit Encoding) *buffer {
	b := &buffer{uri: item.URI, language: string(item.LanguageID), version: item.Version, unit: unit}
	b.replace(item.Text)
	return b
}

// document returns the buffer as it is now.
func (b *buffer) document() Document {
	if b.frozen == nil {
		text := string(b.text)
		b.frozen = &text
	}
	return Document{URI: b.uri, LanguageID: b.language, Version: b.version, Text: *b.frozen, unit: b.unit}
}

// replace sets the whole text.
func (b *buffer) replace(text string) {
	text = strings.Clone(text) // it may be a slice of the message, which is longer
	b.frozen = &text
	b.text = nil // made from frozen by the first edit
	b.starts = appendLineStarts([]int{0}, text, 0)
}

// apply takes one change as the client sent it.
func (b *buffer) apply(change protocol.TextDocumentContentChangeEvent) {
	switch c := change.(type) {
	case *protocol.TextDocumentContentChangePartial:
		b.edit(c.Range, c.Text)
	case *protocol.TextDocumentContentChangeWholeDocument:
		b.replace(c.Text)
	}
}

// edit replaces a range. Positions are clamped as in lines.offset, and a range the wrong way round
// is turned, as editors do. Where UTF-16 cuts a surrogate pair, each half left standing becomes
// U+FFFD: that is one unit as well, so the client's next positions still fit.
func (b *buffer) edit(r protocol.Range, text string) {
	if b.frozen != nil && b.text == nil {
		b.text = []byte(*b.frozen)
	}
	start, head := b.find(r.Start)
	end, tail := b.find(r.End)
	if end < start || end == start && tail < head {
		start, head, end, tail = end, tail, start, head
	}
	if head > 0 {
		text = "\uFFFD" + text
	}
	if tail > 0 {
		text += "\uFFFD"
		end += pairBytes
	}
	b.splice(start, end, text)
}

// pairBytes is the length in UTF-8 of a character that UTF-16 writes as a pair.
const pairBytes = 4

// find returns the offset of a position, and 1 if it lies inside the surrogate pair that begins there.
func (b *buffer) find(p protocol.Position) (offset, inside int) {
	if uint64(p.Line) >= uint64(len(b.starts)) {
		return len(b.text), 0
	}
	start, end := lineBounds(b.text, b.starts, int(p.Line))
	within, inside := advance(string(b.text[start:end]), p.Character, b.unit)
	if b.unit != protocol.PositionEncodingKindUTF16 {
		inside = 0
	}
	return start + within, inside
}

// splice replaces the bytes [start, end). Lines outside those that the edit touches keep their
// breaks; the line before start is among them, because its "\r" may meet a "\n".
func (b *buffer) splice(start, end int, text string) {
	first, last := lineAt(b.starts, max(0, start-1)), lineAt(b.starts, end)
	shift := len(text) - (end - start)
	b.text = slices.Replace(b.text, start, end, []byte(text)...)
	b.frozen = nil

	from, to := b.starts[first], len(b.text)
	rest := b.starts[last+1:]
	if len(rest) > 0 {
		to = rest[0] + shift
		rest = rest[1:] // found again, as the end of the last line
	}
	found := appendLineStarts(nil, string(b.text[from:to]), from)
	for i := range rest {
		rest[i] += shift
	}
	b.starts = slices.Replace(b.starts, first+1, len(b.starts)-len(rest), found...)
}
