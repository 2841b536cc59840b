// Package inert makes text that was not written by Forge (by a model, a tool, a file or its name) safe to
// show. Every front shows such text through it: in a terminal it could move the cursor or rewrite what
// is written, and everywhere it could hide or reorder what the user is about to consent to.
package inert

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text spells out what is not shown as itself: control characters but line feed and tab, and format
// characters, among them bidirectional, zero-width and tag characters (Unicode's categories Cc and Cf).
// Lines that end as on Windows end in a line feed alone; bytes that are not UTF-8 become U+FFFD.
func Text(text string) string {
	if strings.IndexFunc(text, tricky) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if tricky(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func tricky(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

// JSON returns an encoded JSON value in which the characters that Text spells out are escaped. It decodes to the same value.
func JSON(encoded []byte) []byte {
	if bytes.IndexFunc(encoded, tricky) < 0 {
		return encoded
	}
	var b bytes.Buffer
	for _, r := range string(encoded) {
		if !tricky(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.Bytes()
}
