package editor

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"pgregory.net/rapid"
)

func bufferOf(text string, unit Encoding) *buffer {
	return newBuffer(protocol.TextDocumentItem{Text: text, Version: 1}, unit)
}

func partial(r protocol.Range, text string) protocol.TextDocumentContentChangeEvent {
	return &protocol.TextDocumentContentChangePartial{Range: r, Text: text}
}

// units16 is a text as editors keep it, edited by plain search.
type units16 []uint16

func (u units16) offset(p protocol.Position) int {
	text := string(utf16.Decode(u))
	start := plainOffset(text, protocol.PositionEncodingKindUTF16, protocol.Position{Line: p.Line})
	end := plainOffset(text, protocol.PositionEncodingKindUTF16, protocol.Position{Line: p.Line, Character: 1 << 30})
	first, last := len(utf16.Encode([]rune(text[:start]))), len(utf16.Encode([]rune(text[:end])))
	return min(first+int(p.Character), last)
}

// edit cuts between any two units, also inside a pair, and then writes U+FFFD for what is left of one.
func (u units16) edit(r protocol.Range, text string) units16 {
	start, end := u.offset(r.Start), u.offset(r.End)
	if end < start {
		start, end = end, start
	}
	whole := func(part units16) []uint16 { return utf16.Encode(utf16.Decode(part)) }
	edited := append(whole(u[:start:start]), utf16.Encode([]rune(text))...)
	return append(edited, whole(u[end:])...)
}

func TestBuffer_EditsAgreeWithAnEditor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, "text")
		b, model := bufferOf(text, protocol.PositionEncodingKindUTF16), units16(utf16.Encode([]rune(text)))
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			r := protocol.Range{Start: drawPosition(t, "start"), End: drawPosition(t, "end")}
			inserted := drawText(t, "inserted")
			b.apply(partial(r, inserted))
			model = model.edit(r, inserted)
			require.Equal(t, string(utf16.Decode(model)), b.document().Text)
		}
	})
}

// The index that edits keep up to date is the one a new buffer would have, in every encoding.
func TestBuffer_EditsKeepTheIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(encodings).Draw(t, "encoding")
		b := bufferOf(drawText(t, "text"), unit)
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			r := protocol.Range{Start: drawPosition(t, "start"), End: drawPosition(t, "end")}
			b.apply(partial(r, drawText(t, "inserted")))
			require.Equal(t, NewLines(string(b.text), unit).starts, b.starts, "text %q", b.text)
		}
	})
}

func TestBuffer_TakesEdits(t *testing.T) {
	t.Parallel()
	span := func(a, b, c, d uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: a, Character: b}, End: protocol.Position{Line: c, Character: d}}
	}
	const utf8, utf16 = protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16
	tests := []struct {
		name, text string
		unit       Encoding
		changes    []protocol.TextDocumentContentChangeEvent
		want       string
	}{
		{"insert", "ab", utf16, []protocol.TextDocumentContentChangeEvent{partial(span(0, 1, 0, 1), "x")}, "axb"},
		{"each on the result of the one before", "ab", utf16, []protocol.TextDocumentContentChangeEvent{
			partial(span(0, 0, 0, 0), "x\n"), partial(span(1, 0, 1, 1), "y"),
		}, "x\nyb"},
		{"the whole text", "ab", utf16, []protocol.TextDocumentContentChangeEvent{
			&protocol.TextDocumentContentChangeWholeDocument{Text: "new\n"}, partial(span(1, 0, 1, 0), "!"),
		}, "new\n!"},
		{"the wrong way round", "abcd", utf16, []protocol.TextDocumentContentChangeEvent{partial(span(0, 3, 0, 1), "-")}, "a-d"},
		{"far outside", "ab\n", utf16, []protocol.TextDocumentContentChangeEvent{partial(span(9999, 0, 99999, 9), "x")}, "ab\nx"},
		{"inside a pair", "a𝒳b", utf16, []protocol.TextDocumentContentChangeEvent{partial(span(0, 2, 0, 2), "Z")}, "a\uFFFDZ\uFFFDb"},
		{"half a pair goes", "a𝒳b", utf16, []protocol.TextDocumentContentChangeEvent{partial(span(0, 1, 0, 2), "")}, "a\uFFFDb"},
		{"inside a character's bytes", "aéb", utf8, []protocol.TextDocumentContentChangeEvent{partial(span(0, 2, 0, 3), "x")}, "axb"},
		{"a line break comes together", "a\rb", utf16, []protocol.TextDocumentContentChangeEvent{
			partial(span(1, 0, 1, 0), "\n"), partial(span(1, 0, 1, 1), "c"),
		}, "a\r\nc"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := bufferOf(test.text, test.unit)
			for _, change := range test.changes {
				b.apply(change)
			}
			require.Equal(t, test.want, b.document().Text)
		})
	}
}

// A document is a value: what it holds does not change when the editor goes on typing.
func TestBuffer_DocumentsAreValues(t *testing.T) {
	t.Parallel()
	b := bufferOf(strings.Repeat("x", 100), protocol.PositionEncodingKindUTF16)
	b.apply(partial(protocol.Range{}, "1"))
	before := b.document()
	b.apply(partial(protocol.Range{End: protocol.Position{Character: 50}}, "22222"))
	require.Equal(t, "1"+strings.Repeat("x", 100), before.Text)
	require.Equal(t, "22222"+strings.Repeat("x", 51), b.document().Text)
}

// Typing at the top of a document of 10 MB: the cost is the move of the bytes behind it.
func BenchmarkEditLargeDocument(b *testing.B) {
	text := strings.Repeat("// "+strings.Repeat("é", 48)+"\n", 105_000)
	buffer := bufferOf(text, protocol.PositionEncodingKindUTF16)
	for i := range b.N {
		buffer.apply(partial(protocol.Range{End: protocol.Position{Character: uint32(i % 2)}}, "x"))
	}
}
