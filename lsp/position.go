package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is the unit in which the client counts characters; it is settled by initialize.
type encoding = protocol.PositionEncodingKind

// lines is an index over a text: it converts between byte offsets, which all of Forge uses, and the
// client's positions. Lines end with "\n", "\r\n" or "\r", as LSP has it. The zero value is not
// useful; newLines makes one.
type lines struct {
	text   string
	unit   encoding
	starts []int // offset of each line's first byte; starts[0] is 0
}

func newLines(text string, unit encoding) *lines {
	return &lines{text: text, unit: unit, starts: appendLineStarts([]int{0}, text, 0)}
}

// appendLineStarts appends the offsets, plus base, of the lines that begin inside or at the end of
// text, except the first.
func appendLineStarts(starts []int, text string, base int) []int {
	for i := 0; ; {
		next := strings.IndexAny(text[i:], "\r\n")
		if next < 0 {
			return starts
		}
		i += next + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		starts = append(starts, base+i)
	}
}

// offset returns the byte offset of a position. What is outside the text is clamped, as the spec
// demands for characters: past the end of a line means its end, without the line break; past the
// last line means the end of the text. A position inside a character means its start.
func (l *lines) offset(p protocol.Position) int {
	at, _ := l.find(p)
	return at
}

// find returns the offset of p, and how many units p lies behind it inside a character.
func (l *lines) find(p protocol.Position) (offset, inside int) {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.text), 0
	}
	start, end := l.line(int(p.Line))
	within, rest := advance(l.text[start:end], p.Character, l.unit)
	return start + within, rest
}

// position returns the position of a byte offset, which is clamped to the text. An offset inside a
// character is that character's start.
func (l *lines) position(offset int) protocol.Position {
	offset = max(0, min(offset, len(l.text)))
	n := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset }) - 1
	start, end := l.line(n)
	return protocol.Position{Line: uint32(n), Character: width(l.text[start:end], min(offset, end)-start, l.unit)}
}

// span returns the range between two byte offsets.
func (l *lines) span(start, end int) protocol.Range {
	return protocol.Range{Start: l.position(start), End: l.position(end)}
}

// line returns the offsets of a line's text, without its line break.
func (l *lines) line(n int) (start, end int) {
	start, end = l.starts[n], len(l.text)
	if n+1 < len(l.starts) {
		end = l.starts[n+1]
	}
	if end > start && l.text[end-1] == '\n' {
		end--
	}
	if end > start && l.text[end-1] == '\r' {
		end--
	}
	return start, end
}

// advance returns the offset of the character-th unit of a line, clamped to it, and how many units
// are left over inside the character that begins there.
func advance(line string, character uint32, unit encoding) (offset, inside int) {
	want := uint64(character)
	for offset < len(line) && want > 0 {
		if line[offset] < utf8.RuneSelf {
			offset, want = offset+1, want-1
			continue
		}
		r, size := utf8.DecodeRuneInString(line[offset:])
		units := uint64(units(r, size, unit))
		if want < units {
			return offset, int(want)
		}
		offset, want = offset+size, want-units
	}
	return offset, 0
}

// width counts the units of the characters that lie wholly before offset.
func width(line string, offset int, unit encoding) uint32 {
	count := uint32(0)
	for i := 0; i < offset; {
		r, size := utf8.DecodeRuneInString(line[i:])
		if i += size; i <= offset {
			count += uint32(units(r, size, unit))
		}
	}
	return count
}

// units is how many units of the encoding a character of size bytes takes.
func units(r rune, size int, unit encoding) int {
	switch {
	case unit == protocol.PositionEncodingKindUTF8:
		return size
	case unit == protocol.PositionEncodingKindUTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}
