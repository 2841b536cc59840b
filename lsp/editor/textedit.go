package editor

import (
	"go.lsp.dev/protocol"

	"forge/patch"
)

// TextEdit is an edit as the Language Server Protocol writes it in JSON, for programs that read files
// and no server. Characters are counted in UTF-16 units, the protocol's default.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Range is from a position to another, which is not part of it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text. Lines end with "\n", "\r\n" or a lone "\r".
type Position struct {
	Line      uint32 `json:"line"`      // from 0
	Character uint32 `json:"character"` // from 0, in UTF-16 units
}

// TextEdits expresses edits of a text, which must be ordered and not overlap, as the protocol does. They
// give the same bytes and are finer than lines: what both texts have in common is kept where that does
// not scatter the change. The edits stay ordered.
func TextEdits(before string, edits []patch.Edit) []TextEdit {
	index := NewLines(before, protocol.PositionEncodingKindUTF16)
	out := make([]TextEdit, 0, len(edits))
	for _, e := range refine(before, edits) {
		out = append(out, TextEdit{Range: plainRange(index.Span(e.Start, e.End)), NewText: e.New})
	}
	return out
}

func plainRange(r protocol.Range) Range { return Range{Start: Position(r.Start), End: Position(r.End)} }
