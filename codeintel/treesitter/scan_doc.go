package treesitter

import "strings"

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
	for _, c := range l.comments[first : last+1] {
		for line := range strings.Lines(l.source[c.start:c.end]) {
			if text := plain(line); text != "" {
				return cut(strings.ToValidUTF8(text, ""))
			}
		}
	}
	return ""
}

// adjacent reports whether nothing but one line break lies between two offsets.
func (l *lexer) adjacent(from, to int) bool {
	between := l.source[from:to]
	return strings.TrimSpace(between) == "" && strings.Count(between, "\n") <= 1
}

// plain returns the text of a line of a comment without the marks of any language.
func plain(line string) string {
	line = strings.TrimSpace(line)
	line = strings.TrimLeft(line, "/*#!-;=")
	line = strings.TrimSuffix(strings.TrimSpace(line), "*/")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "<summary>"), "</summary>")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "[["), "]]")
	return strings.TrimSpace(line)
}
