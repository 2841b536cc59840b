package lsp

import (
	"strings"
	"unicode/utf8"

	"forge/internal/inert"
)

// oneLine is text made inert, on one line, and no longer than limit characters.
func oneLine(text string, limit int) string {
	line := strings.Join(strings.Fields(inert.Text(text)), " ")
	return shorten(line, limit)
}

// shorten cuts text after limit characters and says so.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}
