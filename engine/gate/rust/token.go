package rust

import (
	"strings"
	"unicode/utf8"

	"forge/internal/lazyregexp"
)

// token is a word, a sign, a literal or a line of documentation, but no other comment or blank.
type token struct{ start, end int }

var (
	// rawText matches the beginning of a raw string; its group are the signs that must follow its end.
	rawText = lazyregexp.New(`^[bc]?r(#*)"`)
	// char matches a character in quotes; other quotes begin a lifetime.
	char = lazyregexp.New(`^b?'(?:\\(?:[^ux]|x[0-9A-Fa-f]{0,2}|u\{[0-9A-Fa-f_]*\})|[^\\'])'`)
	text = lazyregexp.New(`^[bc]?"(?:[^"\\]|\\(?s:.))*(?:"|$)`)
	name = lazyregexp.New(`^(?:r#)?[\pL\pN_]+`)
)

// tokens splits a source into tokens. It never fails: invalid Rust becomes tokens as well.
func tokens(source string) (all []token) {
	for at := 0; at < len(source); {
		length, isToken := next(source[at:])
		if isToken {
			all = append(all, token{at, at + length})
		}
		at += length
	}
	return all
}

// next returns the length of the first piece of a source, and whether it is a token.
func next(source string) (length int, isToken bool) {
	switch {
	case strings.ContainsRune(" \t\r\n", rune(source[0])):
		return 1, false
	case strings.HasPrefix(source, "//"):
		line, _, _ := strings.Cut(source, "\n")
		return len(line), isDoc(line)
	case strings.HasPrefix(source, "/*"):
		return comment(source), false
	}
	if m := rawText.FindStringSubmatch(source); m != nil {
		if end := strings.Index(source[len(m[0]):], `"`+m[1]); end >= 0 {
			return len(m[0]) + end + 1 + len(m[1]), true
		}
		return len(source), true
	}
	for _, form := range []*lazyregexp.Regexp{text, char, name} {
		if m := form.FindString(source); m != "" {
			return len(m), true
		}
	}
	_, length = utf8.DecodeRuneInString(source)
	return length, true
}

// isDoc reports whether a line comment is documentation.
func isDoc(line string) bool {
	return strings.HasPrefix(line, "//!") || strings.HasPrefix(line, "///") && !strings.HasPrefix(line, "////")
}

// comment returns the length of a block comment; they nest.
func comment(source string) int {
	depth := 0
	for at := 0; at < len(source); {
		switch {
		case strings.HasPrefix(source[at:], "/*"):
			depth, at = depth+1, at+2
		case strings.HasPrefix(source[at:], "*/"):
			if depth, at = depth-1, at+2; depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	return len(source)
}
