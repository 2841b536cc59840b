package codeintel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsName reports whether a text can be a name in most languages: letters, digits, "_" and "$" of any script, and no digit first.
func IsName(text string) bool {
	for i, r := range text {
		if r != '$' && !inWord(r) || i == 0 && unicode.IsDigit(r) {
			return false
		}
	}
	return text != "" && utf8.ValidString(text)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// WordSpans finds where a text is a whole word: no letter, digit or "_" of any script is before or after it.
func WordSpans(text, word string) (found []Span) {
	for at := 0; word != ""; {
		next := strings.Index(text[at:], word)
		if next < 0 {
			break
		}
		s := Span{Start: at + next, End: at + next + len(word)}
		if isWhole(text, s) {
			found = append(found, s)
			at = s.End
			continue
		}
		_, size := utf8.DecodeRuneInString(text[s.Start:])
		at = s.Start + size
	}
	return found
}

// isWhole reports whether a span of a text begins and ends at word boundaries.
func isWhole(text string, s Span) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	first, _ := utf8.DecodeRuneInString(text[s.Start:s.End])
	last, _ := utf8.DecodeLastRuneInString(text[s.Start:s.End])
	after, _ := utf8.DecodeRuneInString(text[s.End:])
	return !(s.Start > 0 && inWord(before) && inWord(first)) && !(s.End < len(text) && inWord(last) && inWord(after))
}

// PutInSpans replaces spans of a text, which are in order.
func PutInSpans(text string, at []Span, what string) string {
	var b strings.Builder
	from := 0
	for _, s := range at {
		b.WriteString(text[from:s.Start])
		b.WriteString(what)
		from = s.End
	}
	b.WriteString(text[from:])
	return b.String()
}

// LineAt is the line, from 1, that a byte of a text is in.
func LineAt(text string, at int) int {
	return 1 + strings.Count(text[:min(max(at, 0), len(text))], "\n")
}
