package codeintel

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of a text as search compares them, in order: each identifier in lower case and without
// "_", and its parts if it has several ("parseHTTPRequest" gives parsehttprequest, parse, http and request,
// "max_size" gives maxsize, max and size), all by their stem. Letters and digits of every script belong to words.
// Words of one byte are left out, and so are stop words (see stopWords).
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for identifier := range Identifiers(text) {
			for _, word := range WordsOf(identifier) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// Identifiers returns the identifiers of a text: runs of letters, digits and "_", of every script, in order.
func Identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(text); {
			end := at + identifierLength(text[at:])
			if end == at {
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
				continue
			}
			if !yield(text[at:end]) {
				return
			}
			at = end
		}
	}
}

func identifierLength(text string) int {
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
	words := make([]string, 0, len(parts)+1)
	if len(parts) > 1 {
		words = appendWord(words, strings.Join(parts, ""))
	}
	for _, part := range parts {
		words = appendWord(words, part)
	}
	return words
}

func appendWord(words []string, part string) []string {
	if word := strings.ToLower(part); len(word) > 1 && !stopWords[word] {
		words = append(words, Stem(word))
	}
	return words
}

// identifierParts cuts an identifier at "_", before a capital after a small letter or digit, and before the
// last of several capitals that a small letter follows, but for the s of a plural ("URLs").
func identifierParts(identifier string) []string {
	var parts []string
	from, previous := 0, rune('_')
	cut := func(to int) {
		if to > from {
			parts = append(parts, identifier[from:to])
		}
		from = to
	}
	for at, r := range identifier {
		switch {
		case r == '_':
			cut(at)
			from = at + 1
		case !unicode.IsUpper(r):
		case !unicode.IsUpper(previous), startsSmall(identifier[at+utf8.RuneLen(r):]):
			cut(at)
		}
		previous = r
	}
	cut(len(identifier))
	return parts
}

func startsSmall(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r) && (r != 's' || startsSmall(text[size:]))
}

// suffixes are what Stem cuts off, the first that fits, and what takes their place.
var suffixes = []struct{ end, place string }{
	{"ings", ""}, {"ing", ""}, {"edly", ""}, {"ied", "y"}, {"ed", ""}, {"ies", "y"}, {"es", ""}, {"s", ""}, {"e", ""},
}

// Stem cuts the ending off an English word in lower case, if four bytes or more are left: "parsing", "parsed" and
// "parse" become "pars", "queries" becomes "query", "mapping" becomes "map". The s of "class", "status" and
// "analysis" is no ending.
func Stem(word string) string {
	for _, suffix := range suffixes {
		rest, cut := strings.CutSuffix(word, suffix.end)
		switch {
		case !cut || len(rest) < 4:
		case suffix.end == "s" && strings.ContainsRune("sui", rune(rest[len(rest)-1])):
			return word
		case suffix.end == "ing" || suffix.end == "ings" || suffix.end == "ed":
			return undouble(rest)
		default:
			return rest + suffix.place
		}
	}
	return word
}

// undouble takes back the consonant that an ending doubled: "mapp" becomes "map".
func undouble(rest string) string {
	last := rest[len(rest)-1]
	if rest[len(rest)-2] == last && strings.IndexByte("bdgmnprt", last) >= 0 {
		return rest[:len(rest)-1]
	}
	return rest
}

// stopWords are left out of texts and requests: every text has them.
var stopWords = WordSet("a an the and or of to in on for with by from is are was be been as at it its this that these those not " +
	"no if when then than into so we i you use used using also only can should will would may have has had do does did " +
	"now which more via per but all some any while after before they their there what how")

// WordSet returns the words of a text, which white space separates.
func WordSet(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// isASCIIIdentifier has the bytes of ASCII that belong to identifiers.
var isASCIIIdentifier = func() (is [utf8.RuneSelf]bool) {
	for b := range is {
		is[b] = b == '_' || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))
	}
	return is
}()

// IdentifierEnd returns where the identifier ends that begins at a byte, which is there if none does: identifiers are
// those of Words.
func IdentifierEnd(text []byte, at int) int {
	for at < len(text) {
		if text[at] < utf8.RuneSelf {
			if !isASCIIIdentifier[text[at]] {
				return at
			}
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return at
		}
		at += size
	}
	return at
}
