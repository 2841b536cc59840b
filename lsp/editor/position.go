package editor

import (
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"forge/api"
)

// Encoding is the unit in which the client counts characters; initialize settles it.
type Encoding = protocol.PositionEncodingKind

// Lines converts between byte offsets of a text, which all of Forge uses, and the client's positions.
// This file is the only place that knows how the client counts. Lines end with "\n", "\r\n" or "\r".
type Lines struct {
	Text   string
	unit   Encoding
	starts []int // offset of each line's first byte, ascending; starts[0] is 0
}

// NewLines makes an index over a text; unit is how the client counts characters.
func NewLines(text string, unit Encoding) *Lines {
	return &Lines{Text: text, unit: unit, starts: appendLineStarts([]int{0}, text, 0)}
}

// Position returns the position of a byte offset, which is clamped to the text. An offset inside a
// character is the character's start, and one inside a line break the line's end.
func (l *Lines) Position(offset int) protocol.Position {
	offset = max(0, min(offset, len(l.Text)))
	n := lineAt(l.starts, offset)
	start, end := lineBounds(l.Text, l.starts, n)
	character := width(l.Text[start:end], min(offset, end)-start, l.unit)
	return protocol.Position{Line: uint32(n), Character: character}
}

// Span returns the range between two byte offsets.
func (l *Lines) Span(start, end int) protocol.Range {
	return protocol.Range{Start: l.Position(start), End: l.Position(end)}
}

// lineAt returns the line that holds an offset.
func lineAt(starts []int, offset int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > offset }) - 1
}

// lineBounds returns the offsets of a line's text, without its line break.
func lineBounds[T string | []byte](text T, starts []int, n int) (start, end int) {
	start, end = starts[n], len(text)
	if n+1 == len(starts) {
		return start, end
	}
	end = starts[n+1] - 1
	if end > start && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return start, end
}

// appendLineStarts appends base plus the offset after each line break of text.
func appendLineStarts(starts []int, text string, base int) []int {
	for len(text) > 0 {
		line, rest, found := strings.Cut(text, "\n")
		for from := 0; ; {
			cr := strings.IndexByte(line[from:], '\r')
			if cr < 0 || found && from+cr == len(line)-1 {
				break
			}
			from += cr + 1
			starts = append(starts, base+from)
		}
		if !found {
			break
		}
		base += len(line) + 1
		starts = append(starts, base)
		text = rest
	}
	return starts
}

// advance returns the offset of a line's character, clamped to the line, and by how many units the
// character lies inside the one that begins there.
func advance(line string, character uint32, unit Encoding) (offset, inside int) {
	want := uint64(character)
	for offset < len(line) && want > 0 {
		if line[offset] < utf8.RuneSelf {
			offset, want = offset+1, want-1
			continue
		}
		r, size := utf8.DecodeRuneInString(line[offset:])
		n := uint64(units(r, size, unit))
		if want < n {
			return offset, int(want)
		}
		offset, want = offset+size, want-n
	}
	return offset, 0
}

// width counts the units of the characters that lie wholly before offset.
func width(line string, offset int, unit Encoding) uint32 {
	count := 0
	for i := 0; i < offset; {
		r, size := utf8.DecodeRuneInString(line[i:])
		if i += size; i <= offset {
			count += units(r, size, unit)
		}
	}
	return uint32(count)
}

// units is how many units of the encoding a character of size bytes takes.
func units(r rune, size int, unit Encoding) int {
	switch {
	case unit == protocol.PositionEncodingKindUTF8:
		return size
	case unit == protocol.PositionEncodingKindUTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}

// LineFrom is the range from a column, in bytes from 1, to the end of a line, from 1; both are clamped
// to the text, and 0 is taken as 1.
func (l *Lines) LineFrom(line, column int) protocol.Range {
	start, end := lineBounds(l.Text, l.starts, min(max(line, 1), len(l.starts))-1)
	return l.Span(min(start+max(column, 1)-1, end), end)
}

// Visible is a range the user can see: without the line break at its end, and for an insertion the line
// it goes before.
func (l *Lines) Visible(start, end int) protocol.Range {
	if start == end {
		at := l.Position(start)
		if start == len(l.Text) && start > 0 {
			at = l.Position(start - 1) // after the last line: editors have no such line to show
		}
		from, to := lineBounds(l.Text, l.starts, int(at.Line))
		return l.Span(from, to)
	}
	for end > start && (l.Text[end-1] == '\n' || l.Text[end-1] == '\r') {
		end--
	}
	return l.Span(start, end)
}

// WireRange is a protocol range as commands carry it.
func WireRange(r protocol.Range) *api.Range {
	return &api.Range{Start: api.Position(r.Start), End: api.Position(r.End)}
}

// LinesOf returns the lines a selection covers, from 1 and inclusive. A selection that ends before
// the first character of a line does not cover that line.
func LinesOf(r *api.Range) (start, end int) {
	if r == nil {
		return 0, 0
	}
	start, end = int(r.Start.Line)+1, int(r.End.Line)+1
	if r.End.Character == 0 && end > start {
		end--
	}
	return start, end
}
