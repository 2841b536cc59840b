package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is the unit in which the client counts characters; initialize settles it.
type encoding = protocol.PositionEncodingKind

// lines converts between byte offsets of a text, which all of Forge uses, and the client's positions.
// This file is the only place that knows how the client counts. Lines end with "\n", "\r\n" or "\r".
type lines struct {
	text   string
	unit   encoding
	starts []int // offset of each line's first byte, ascending; starts[0] is 0
}

func newLines(text string, unit encoding) *lines {
	return &lines{text: text, unit: unit, starts: appendLineStarts([]int{0}, text, 0)}
}

// offset returns the byte offset of a position. A position outside the text is clamped: past the end
// of a line it is the line's end, before the line break; past the last line it is the text's end. A
// position inside a character is the character's start.
func (l *lines) offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.text)
	}
	start, end := lineBounds(l.text, l.starts, int(p.Line))
	within, _ := advance(l.text[start:end], p.Character, l.unit)
	return start + within
}

// position returns the position of a byte offset, which is clamped to the text. An offset inside a
// character is the character's start, and one inside a line break the line's end.
func (l *lines) position(offset int) protocol.Position {
	offset = max(0, min(offset, len(l.text)))
	n := lineAt(l.starts, offset)
	start, end := lineBounds(l.text, l.starts, n)
	character := width(l.text[start:end], min(offset, end)-start, l.unit)
	return protocol.Position{Line: uint32(n), Character: character}
}

// span returns the range between two byte offsets.
func (l *lines) span(start, end int) protocol.Range {
	return protocol.Range{Start: l.position(start), End: l.position(end)}
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

// appendLineStarts appends base plus the offset behind each line break of text.
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
func advance(line string, character uint32, unit encoding) (offset, inside int) {
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
func width(line string, offset int, unit encoding) uint32 {
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
