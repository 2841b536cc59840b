package inert

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine is text made inert, on one line, and no longer than limit characters.
func OneLine(text string, limit int) string {
	return Shorten(strings.Join(strings.Fields(Text(text)), " "), limit)
}

// Shorten cuts text after limit characters and marks the cut. It makes nothing inert.
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

// Sentences cuts a text after the last sentence that ends within so many bytes, or, without one, after a word, with "…". A first word that
// is longer is left out. It makes nothing inert.
func Sentences(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	word := 0
	for end := bytes; end > 0; end-- {
		if text[end] != ' ' {
			continue
		}
		if strings.IndexByte(".!?", text[end-1]) >= 0 && !lowercase(text[end+1:]) {
			return text[:end]
		}
		word = max(word, end)
	}
	return strings.TrimSpace(text[:word]) + "…"
}

// Brief cuts each of the first lines of a text after a sentence, so that together they have at most so many bytes, in equal shares, and
// counts the lines that are left out. It makes nothing inert.
func Brief(text string, lines, bytes int) string {
	all := strings.Split(text, "\n")
	shown := all[:min(len(all), lines)]
	for i, line := range shown {
		shown[i] = Sentences(line, bytes/len(shown))
	}
	if n := len(all) - len(shown); n > 0 {
		shown = append(slices.Clip(shown), fmt.Sprintf("… and %d more", n))
	}
	return strings.Join(shown, "\n")
}

// lowercase reports whether a text begins with a small letter.
func lowercase(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}
