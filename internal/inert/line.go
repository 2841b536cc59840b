package inert

import (
	"strings"
	"unicode/utf8"
)

// OneLine is text made inert, on one line, and no longer than limit characters.
func OneLine(text string, limit int) string {
	return Shorten(strings.Join(strings.Fields(Text(text)), " "), limit)
}

// Shorten cuts text after limit characters and says so. It makes nothing inert.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}

// Clip cuts a text after so many bytes, between characters, and marks the cut with "…". It makes nothing inert.
func Clip(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, bytes)], "") + "…"
}
