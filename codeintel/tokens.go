package codeintel

import (
	"strings"
)

// scannedText is a text that is read by its tokens, and what is found in it.
type scannedText struct {
	*lexer
	findings
}

func (s *scannedText) text(t lexeme) string { return s.source[t.start:t.end] }

// openLine is a line whose declaration continues over more deeply indented ones.
type openLine struct {
	symbol int
	indent int
}

// group returns the index after the bracket that closes the first one, or the end of the tokens.
func (l *lexer) group(tokens []lexeme) int {
	open := tokens[0].kind
	closing := open + 2 // as ASCII has it
	if open == '(' {
		closing = ')'
	}
	depth := 0
	for i, t := range tokens {
		switch t.kind {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(tokens)
}

// join writes tokens on one line, with a space where the source has some space between them. Comments are left out,
// and what a list has no room for.
func (l *lexer) join(tokens []lexeme) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.start > tokens[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(l.source[t.start:t.end])
		if b.Len() > 1000 {
			break
		}
	}
	return Brief(b.String())
}

// split cuts tokens at the commas outside of brackets.
func (l *lexer) split(tokens []lexeme) [][]lexeme {
	var parts [][]lexeme
	depth, from := 0, 0
	for i, t := range tokens {
		switch t.kind {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, tokens[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, tokens[from:])
}

// bare returns a string without its quotes.
func bare(text string) string { return strings.Trim(text, "'\"`") }

// doc returns the first line of the comment that stands right above the token, without its marks; or of one that
// stands before it on its line.
func (l *lexer) doc(t lexeme) string {
	last := int(t.comments) - 1
	if last < 0 || !l.adjacent(int(l.comments[last].end), int(t.start)) || !l.comments[last].own {
		return ""
	}
	first := last
	for first > 0 && l.comments[first-1].own && l.adjacent(int(l.comments[first-1].end), int(l.comments[first].start)) {
		first--
	}
	from, to := l.comments[first].start, l.comments[last].end
	return DocLine(l.source[from:to])
}

// adjacent reports whether nothing but one line break is between two offsets.
func (l *lexer) adjacent(from, to int) bool {
	between := l.source[from:to]
	return strings.TrimSpace(between) == "" && strings.Count(between, "\n") <= 1
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		all[w] = true
	}
	return all
}
