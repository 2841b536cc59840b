package editor

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"pgregory.net/rapid"
)

var encodings = []Encoding{
	protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32,
}

// drawText draws a text of characters of every width and line breaks of every kind.
func drawText(t *rapid.T, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "\t", "é", "漢", "𝒳", "😀", "\uFFFD", "\u2028", "\n", "\r\n", "\r",
	}), 0, 30).Draw(t, label)
	return strings.Join(parts, "")
}

func drawPosition(t *rapid.T, label string) protocol.Position {
	return protocol.Position{
		Line:      rapid.Uint32Range(0, 12).Draw(t, label+" line"),
		Character: rapid.Uint32Range(0, 12).Draw(t, label+" character"),
	}
}

// spot is a character boundary of a text.
type spot struct {
	offset int
	at     protocol.Position
}

// places walks a text character by character, in the plainest way there is. The spot between the
// "\r" and the "\n" of one line break is none.
func places(text string, unit Encoding) []spot {
	var all []spot
	var at protocol.Position
	for offset := 0; ; {
		all = append(all, spot{offset, at})
		if offset == len(text) {
			return all
		}
		r, size := utf8.DecodeRuneInString(text[offset:])
		switch {
		case strings.HasPrefix(text[offset:], "\r\n"):
			size = 2
			fallthrough
		case r == '\r' || r == '\n':
			at = protocol.Position{Line: at.Line + 1}
		case unit == protocol.PositionEncodingKindUTF8:
			at.Character += uint32(size)
		case unit == protocol.PositionEncodingKindUTF16:
			at.Character += uint32(len(utf16.Encode([]rune{r})))
		default:
			at.Character++
		}
		offset += size
	}
}

// plainOffset is lines.offset by search through all places.
func plainOffset(text string, unit Encoding, p protocol.Position) int {
	best := len(text)
	for _, candidate := range places(text, unit) {
		if candidate.at.Line == p.Line && candidate.at.Character <= p.Character {
			best = candidate.offset
		}
	}
	return best
}

func TestLines_OffsetsAgreeWithPlainSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, unit := drawText(t, "text"), rapid.SampledFrom(encodings).Draw(t, "encoding")
		p := drawPosition(t, "position")
		require.Equal(t, plainOffset(text, unit, p), NewLines(text, unit).offset(p))
	})
}

func TestLines_PositionsAgreeWithPlainSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, unit := drawText(t, "text"), rapid.SampledFrom(encodings).Draw(t, "encoding")
		index := NewLines(text, unit)
		for _, spot := range places(text, unit) {
			require.Equal(t, spot.at, index.Position(spot.offset), "offset %d", spot.offset)
			require.Equal(t, spot.offset, index.offset(spot.at), "position %v", spot.at)
		}
	})
}

func TestLines_BoundPositionsOutside(t *testing.T) {
	t.Parallel()
	const text = "ab\r\n𝒳é\rc" // offsets: 𝒳 4, é 8, \r 10, c 11
	at := func(line, character uint32) protocol.Position {
		return protocol.Position{Line: line, Character: character}
	}
	tests := []struct {
		name   string
		unit   Encoding
		p      protocol.Position
		offset int
	}{
		{"behind a line, before its break", protocol.PositionEncodingKindUTF16, at(0, 99), 2},
		{"behind a lone carriage return's line", protocol.PositionEncodingKindUTF16, at(1, 99), 10},
		{"behind the last line", protocol.PositionEncodingKindUTF16, at(2, 99), 12},
		{"below the text", protocol.PositionEncodingKindUTF16, at(3, 0), 12},
		{"as far as it goes", protocol.PositionEncodingKindUTF16, at(1<<32-1, 1<<32-1), 12},
		{"inside a pair", protocol.PositionEncodingKindUTF16, at(1, 1), 4},
		{"behind a pair", protocol.PositionEncodingKindUTF16, at(1, 2), 8},
		{"inside a character's bytes", protocol.PositionEncodingKindUTF8, at(1, 3), 4},
		{"behind a character's bytes", protocol.PositionEncodingKindUTF8, at(1, 4), 8},
		{"one unit for all", protocol.PositionEncodingKindUTF32, at(1, 1), 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.offset, NewLines(text, test.unit).offset(test.p))
		})
	}
	index := NewLines(text, protocol.PositionEncodingKindUTF16)
	require.Equal(t, at(0, 0), index.Position(-1))
	require.Equal(t, at(0, 2), index.Position(3), "inside a line break")
	require.Equal(t, at(1, 0), index.Position(6), "inside a character")
	require.Equal(t, at(2, 1), index.Position(99))
	require.Equal(t, protocol.Range{Start: at(1, 0), End: at(1, 2)}, index.Span(4, 8))
}

// offset returns the byte offset of a position. A position outside the text is clamped: past the end
// of a line it is the line's end, before the line break; past the last line it is the text's end. A
// position inside a character is the character's start.
func (l *Lines) offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.Text)
	}
	start, end := lineBounds(l.Text, l.starts, int(p.Line))
	within, _ := advance(l.Text[start:end], p.Character, l.unit)
	return start + within
}
