package lsp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inert makes text from a model, a tool or a file safe to show: control characters, escape sequences
// and characters that are invisible or turn the direction of writing are spelled out.
func inert(text string) string {
	if strings.IndexFunc(text, tricky) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if tricky(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// tricky tells the characters that are not shown as themselves: controls but line feed and tab, and
// format characters, among them bidirectional, zero-width and tag characters.
func tricky(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

// oneLine is text made inert, on one line, and no longer than limit characters.
func oneLine(text string, limit int) string {
	line := strings.Join(strings.Fields(inert(text)), " ")
	return shorten(line, limit)
}

// shorten cuts text after limit characters and says so.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}
