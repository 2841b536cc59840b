package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// buffer is the mutable text behind a Document.
type buffer struct {
	uri      uri.URI
	language string
	version  int32
	lines    *lines
}

func newBuffer(item protocol.TextDocumentItem, unit encoding) *buffer {
	return &buffer{
		uri: item.URI, language: string(item.LanguageID), version: item.Version,
		lines: newLines(item.Text, unit),
	}
}

// document is the buffer as it is now.
func (b *buffer) document() Document {
	return Document{URI: b.uri, LanguageID: b.language, Version: b.version, Text: b.lines.text}
}

func (b *buffer) apply(edit protocol.TextDocumentContentChangeEvent) {
	switch e := edit.(type) {
	case *protocol.TextDocumentContentChangePartial:
		start, end := b.lines.offset(e.Range.Start), b.lines.offset(e.Range.End)
		if end < start {
			start, end = end, start
		}
		b.lines = newLines(b.lines.text[:start]+e.Text+b.lines.text[end:], b.lines.unit)
	case *protocol.TextDocumentContentChangeWholeDocument:
		b.lines = newLines(e.Text, b.lines.unit)
	}
}
