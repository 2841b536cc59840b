package codeintel

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is what a token is. Brackets and single marks are their own byte.
type tokenKind byte

const (
	word     tokenKind = 'w'
	quoted   tokenKind = 'q' // a string with its quotes, a character, a regular expression
	operator tokenKind = 'o' // more than one mark
)

// lexeme is a piece of source that is no space and no comment.
type lexeme struct {
	start, end int32
	indent     int32 // bytes before it on its line if it is the first there, otherwise -1
	comments   int32 // how many comments precede it
	kind       tokenKind
}

func (t lexeme) first() bool { return t.indent >= 0 }

// comment is the place of a comment in the source.
type comment struct {
	start, end int32
	own        bool // no code precedes it on its line
}

// delimiter is the pair of marks around a string.
type delimiter struct {
	open, close string
	raw         bool // a backslash is a character like any other
	lines       bool // it may span several lines
}

// lexRules is how a language writes comments, strings and names.
type lexRules struct {
	lineComments []string
	blockOpen    string
	blockClose   string
	strings      []delimiter
	wordMarks    string // what belongs to names in addition to letters, digits and "_"
	ticks        bool   // `a name` may be between backticks
	// literal returns where the literal of an own form at l.at ends, or l.at if there is none.
	literal func(l *lexer) int
}

// lexer cuts a source into tokens and comments. It takes linear time for any source: an unclosed token ends with its
// line, or with the source.
type lexer struct {
	lexRules
	source    string
	at        int
	lineStart int
	fresh     bool // only space is between lineStart and at
	tokens    []lexeme
	comments  []comment
}

func lex(source string, rules lexRules) *lexer {
	l := &lexer{lexRules: rules, source: source, fresh: true, tokens: make([]lexeme, 0, len(source)/4)}
	if strings.HasPrefix(source, "\uFEFF") {
		l.at, l.lineStart = len("\uFEFF"), len("\uFEFF")
	}
	if strings.HasPrefix(source[l.at:], "#!") {
		l.at = l.lineEnd(l.at)
	}
	for l.at < len(source) {
		l.step()
	}
	return l
}

// step reads one space, comment or token. It always advances by at least one byte.
func (l *lexer) step() {
	switch c := l.source[l.at]; {
	case c == '\n':
		l.at++
		l.lineStart, l.fresh = l.at, true
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == 0:
		l.at++
	case isWordByte(c) || strings.IndexByte(l.wordMarks, c) >= 0:
		l.stepWord()
	default:
		l.stepMark(c)
	}
}

// stepWord takes a name, or the literal that starts like one, such as r"…".
func (l *lexer) stepWord() {
	if l.literal != nil {
		if end := l.literal(l); end > l.at {
			l.token(quoted, end)
			return
		}
	}
	end := l.at + 1
	for end < len(l.source) && (isWordByte(l.source[end]) || strings.IndexByte(l.wordMarks, l.source[end]) >= 0) {
		end++
	}
	l.token(word, end)
}

func (l *lexer) stepMark(c byte) {
	if end := l.commentEnd(); end > l.at {
		l.comments = append(l.comments, comment{int32(l.at), int32(end), l.fresh})
		l.skipTo(end)
		return
	}
	if l.literal != nil {
		if end := l.literal(l); end > l.at {
			l.token(quoted, end)
			return
		}
	}
	for _, d := range l.strings {
		if strings.HasPrefix(l.source[l.at:], d.open) {
			l.token(quoted, stringEnd(l.source, l.at+len(d.open), d))
			return
		}
	}
	if c == '`' && l.ticks {
		l.token(word, stringEnd(l.source, l.at+1, delimiter{close: "`", raw: true}))
		return
	}
	if length := operatorLength(l.source[l.at:]); length > 1 {
		l.token(operator, l.at+length)
		return
	}
	l.token(tokenKind(c), l.at+1)
}

// token takes the bytes up to end as a token.
func (l *lexer) token(kind tokenKind, end int) {
	indent := -1
	if l.fresh {
		indent = l.at - l.lineStart
	}
	l.tokens = append(l.tokens, lexeme{int32(l.at), int32(end), int32(indent), int32(len(l.comments)), kind})
	l.skipTo(end)
	l.fresh = false
}

// skipTo continues at end, and counts the lines in between. A comment over several lines leaves its last line fresh.
func (l *lexer) skipTo(end int) {
	if line := strings.LastIndexByte(l.source[l.at:end], '\n'); line >= 0 {
		l.lineStart = l.at + line + 1
		l.fresh = true
	}
	l.at = end
}

// commentEnd returns where the comment at l.at ends, or l.at if there is none.
func (l *lexer) commentEnd() int {
	rest := l.source[l.at:]
	if l.blockOpen != "" && strings.HasPrefix(rest, l.blockOpen) {
		return stringEnd(l.source, l.at+len(l.blockOpen), delimiter{close: l.blockClose, raw: true, lines: true})
	}
	for _, open := range l.lineComments {
		if strings.HasPrefix(rest, open) {
			return l.lineEnd(l.at)
		}
	}
	return l.at
}

// lineEnd returns where the line of a position ends, without its line break.
func (l *lexer) lineEnd(at int) int {
	if length := strings.IndexByte(l.source[at:], '\n'); length >= 0 {
		return at + length
	}
	return len(l.source)
}

// stringEnd returns the end of a string whose text starts at from.
func stringEnd(source string, from int, d delimiter) int {
	for at := from; at < len(source); at++ {
		switch c := source[at]; {
		case c == d.close[0] && strings.HasPrefix(source[at:], d.close):
			return at + len(d.close)
		case c == '\\' && !d.raw:
			at++
		case c == '\n' && !d.lines:
			return at
		}
	}
	return len(source)
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// operatorLength returns the length of the marks at the start of a text that are one operator. Those that could be
// the ends of type parameters stay apart.
func operatorLength(text string) int {
	if len(text) < 2 {
		return 1
	}
	switch text[:2] {
	case "=>", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "|=", "&=", ":=", "<<", "..", "?.", "?:", "<-":
		return 2
	}
	return 1
}
