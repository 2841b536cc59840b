package lsptest

import (
	"os"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// openDocument is a buffer of the editor, in UTF-16 as editors keep it.
type openDocument struct {
	text    []uint16
	bytes   bool // positions count bytes of UTF-8
	version int32
}

// Capabilities are those of an editor that can everything plain LSP offers, and counts in UTF-16.
func Capabilities() protocol.ClientCapabilities {
	yes := true
	return protocol.ClientCapabilities{
		General: &protocol.GeneralClientCapabilities{
			PositionEncodings: []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF16},
		},
		TextDocument: &protocol.TextDocumentClientCapabilities{
			DocumentSymbol: &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: &yes},
		},
		Window: &protocol.WindowClientCapabilities{WorkDoneProgress: &yes},
		Workspace: &protocol.WorkspaceClientCapabilities{
			ApplyEdit: &yes, WorkspaceFolders: &yes,
			WorkspaceEdit: &protocol.WorkspaceEditClientCapabilities{DocumentChanges: &yes},
		},
	}
}

// Open opens a document as version 1.
func (e *Editor) Open(u uri.URI, language, text string) {
	e.t.Helper()
	e.mu.Lock()
	e.documents[string(u)] = &openDocument{text: utf16.Encode([]rune(text)), bytes: e.bytes, version: 1}
	e.mu.Unlock()
	e.Notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{
			URI: u, LanguageID: protocol.LanguageKind(language), Version: 1, Text: text,
		},
	})
}

// Edit makes edits of an open document, each on the result of the one before, and sends them to the
// server in one didChange, as an editor does that syncs incrementally.
func (e *Editor) Edit(u uri.URI, edits ...protocol.TextEdit) {
	e.t.Helper()
	e.mu.Lock()
	d := e.documents[string(u)]
	var changes []protocol.TextDocumentContentChangeEvent
	for _, edit := range edits {
		d.replace(edit)
		changes = append(changes, &protocol.TextDocumentContentChangePartial{Range: edit.Range, Text: edit.NewText})
	}
	d.version++
	version := d.version
	e.mu.Unlock()
	e.Change(u, version, changes...)
}

// Change sends didChange with exactly these changes, and leaves the editor's own buffer alone.
func (e *Editor) Change(u uri.URI, version int32, changes ...protocol.TextDocumentContentChangeEvent) {
	e.t.Helper()
	params := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
	params.TextDocument.URI, params.TextDocument.Version = u, version
	e.Notify(protocol.MethodTextDocumentDidChange, params)
}

// Close closes a document without saving it.
func (e *Editor) Close(u uri.URI) {
	e.t.Helper()
	e.mu.Lock()
	delete(e.documents, string(u))
	e.mu.Unlock()
	e.Notify(protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: u},
	})
}

// Save writes an open document to its file and sends didSave.
func (e *Editor) Save(u uri.URI) {
	e.t.Helper()
	if err := os.WriteFile(u.FsPath(), []byte(e.Text(u)), 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.Notify(protocol.MethodTextDocumentDidSave, &protocol.DidSaveTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: u},
	})
}

// Text returns the text of a document: of the buffer if it is open, else of the file.
func (e *Editor) Text(u uri.URI) string {
	e.t.Helper()
	e.mu.Lock()
	d := e.documents[string(u)]
	if d != nil {
		defer e.mu.Unlock()
		return string(utf16.Decode(d.text))
	}
	e.mu.Unlock()
	text, err := os.ReadFile(u.FsPath())
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

// Version returns the version of an open document, 0 if it is not open.
func (e *Editor) Version(u uri.URI) int32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.documents[string(u)]; d != nil {
		return d.version
	}
	return 0
}

func (d *openDocument) replace(edit protocol.TextEdit) {
	start, end := d.offset(edit.Range.Start), d.offset(edit.Range.End)
	d.text = slices.Concat(d.text[:start], utf16.Encode([]rune(edit.NewText)), d.text[end:])
}

// offset is the slow and plain way: it walks the whole text.
func (d *openDocument) offset(p protocol.Position) int {
	at, line := 0, uint32(0)
	for ; at < len(d.text) && line < p.Line; at++ {
		if d.endsLine(at) {
			line++
		}
	}
	if line < p.Line {
		return len(d.text)
	}
	for n := uint32(0); n < p.Character && at < len(d.text) && !strings.ContainsRune("\r\n", rune(d.text[at])); {
		units, size := d.character(at)
		at, n = at+units, n+size
	}
	return at
}

// character returns how many units the character at an offset has, and what it counts in a position.
func (d *openDocument) character(at int) (units int, size uint32) {
	if !d.bytes {
		return 1, 1
	}
	if at+1 < len(d.text) && utf16.IsSurrogate(rune(d.text[at])) {
		return 2, 4
	}
	return 1, uint32(utf8.RuneLen(rune(d.text[at])))
}

// endsLine reports whether the unit at this offset is the last of a line break.
func (d *openDocument) endsLine(at int) bool {
	switch d.text[at] {
	case '\n':
		return true
	case '\r':
		return at+1 == len(d.text) || d.text[at+1] != '\n'
	default:
		return false
	}
}
