package codeintel

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of a text as search compares them, in order: each identifier in lower case, and
// its parts if it has several ("parseHTTPRequest" gives parsehttprequest, parse, http and request, "max_size"
// gives max_size, max and size), all by their stem. Letters and digits of every script belong to words.
// Words of one byte are left out, and so are those that say nothing (see stopWords).
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(text); {
			end := at + wordLength(text[at:])
			if end == at {
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
				continue
			}
			for _, word := range WordsOf(text[at:end]) {
				if !yield(word) {
					return
				}
			}
			at = end
		}
	}
}

func wordLength(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(text)
}

// WordsOf returns the words of one identifier: those Words yields for it.
func WordsOf(identifier string) []string {
	parts := identifierParts(identifier)
	if len(parts) != 1 || len(parts[0]) != len(identifier) {
		parts = append([]string{identifier}, parts...)
	}
	var words []string
	for _, part := range parts {
		word := strings.ToLower(strings.Trim(part, "_"))
		if len(word) > 1 && !stopWords[word] {
			words = append(words, Stem(word))
		}
	}
	return words
}

// identifierParts cuts an identifier at "_", before a capital behind a small letter or digit, and before the
// last of several capitals that a small letter follows.
func identifierParts(identifier string) []string {
	var parts []string
	from := 0
	cut := func(to int) {
		if to > from {
			parts = append(parts, identifier[from:to])
		}
		from = to
	}
	before := rune('A') // nothing is cut off in front of the first
	for i, r := range identifier {
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case !unicode.IsUpper(r):
		case !unicode.IsUpper(before) || isLowerAt(identifier, i+utf8.RuneLen(r)):
			cut(i)
		}
		before = r
	}
	cut(len(identifier))
	return parts
}

func isLowerAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLower(r)
}

// suffixes are what Stem cuts off, the first that fits.
var suffixes = []string{"ings", "ing", "edly", "ed", "ies", "es", "s", "e"}

// Stem cuts the ending off an English word in lower case, if four bytes or more are left: "parsing", "parsed" and
// "parse" become "pars", "queries" becomes "query".
func Stem(word string) string {
	for _, suffix := range suffixes {
		if rest, cut := strings.CutSuffix(word, suffix); cut && len(rest) >= 4 {
			if suffix == "ies" {
				return rest + "y"
			}
			return rest
		}
	}
	return word
}

// stopWords are left out of texts and requests: every text has them.
var stopWords = set("a an the and or of to in on for with by from is are was be been as at it its this that these those not " +
	"no if when then than into so we i you use used using also only can should will would may have has had do does did " +
	"now which more via per but all some any while after before they their there what how")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}
