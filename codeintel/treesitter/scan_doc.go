package treesitter

import (
	"strings"

	"forge/codeintel"
)

// doc returns the first line of the comment that stands right above the token, without its marks; or of one that
// stands before it on its line.
func (l *lexer) doc(t token) string {
	last := int(t.comments) - 1
	if last < 0 || !l.adjacent(int(l.comments[last].end), int(t.start)) || !l.comments[last].own {
		return ""
	}
	first := last
	for first > 0 && l.comments[first-1].own && l.adjacent(int(l.comments[first-1].end), int(l.comments[first].start)) {
		first--
	}
	from, to := l.comments[first].start, l.comments[last].end
	return codeintel.DocLine(l.source[from:to])
}

// adjacent reports whether nothing but one line break lies between two offsets.
func (l *lexer) adjacent(from, to int) bool {
	between := l.source[from:to]
	return strings.TrimSpace(between) == "" && strings.Count(between, "\n") <= 1
}
