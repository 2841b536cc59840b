// Package fit is what is done with a text before a grammar reads it: whether the grammar can bear it, in which dialect it is written, how it
// is rewritten, without a change of its length, so that an old or strict grammar takes it, and where it is cut if it is read in pieces.
package fit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

// Some texts overload a grammar inside the C code, which nothing can interrupt: to run a query takes
// time quadratic in the depth of a tree, and in the breadth of what does not fit the grammar; a name with type arguments
// and a comparison look alike up to their ends; the state of a scanner has room for so much. Texts written by hand are not like
// that; their declarations are read one by one.
const (
	maxDepth   = 250  // brackets
	maxAngles  = 200  // "<" without ">"
	maxPrefix  = 2000 // marks such as "!" without a name among them
	maxChoices = 500  // "?" without ":"
	maxWords   = 900  // bytes for the words of here-documents that are waited for: those of a scanner's state
)

// TooComplex reports whether a text would overload the grammar of a language.
func TooComplex(language codeintel.Language, source string) bool {
	if bracketDepth(source) > maxDepth || prefixLength(source) > maxPrefix {
		return true
	}
	switch language {
	case codeintel.LanguageRuby, codeintel.LanguagePHP:
		return wordsWaiting(hereWord, source)
	case codeintel.LanguageBash:
		return wordsWaiting(hereWordShell, source)
	case codeintel.LanguageC, codeintel.LanguageCPP:
		return angleDepth(source) > maxAngles || choiceDepth(source) > maxChoices
	default:
		return angleDepth(source) > maxAngles
	}
}

// bracketDepth is how deep brackets are nested. It counts those in strings and comments, too: a difference in the hundreds
// does not come from these.
func bracketDepth(source string) int { return depthOf(source, "([{", ")]}", "") }

// depthOf is the most marks that are open at once: each of opens is one, each of closes takes one back, ends take back all.
func depthOf(source, opens, closes, ends string) int {
	depth, deepest := 0, 0
	for i := range len(source) {
		switch c := source[i]; {
		case strings.IndexByte(opens, c) >= 0:
			depth++
			deepest = max(deepest, depth)
		case strings.IndexByte(closes, c) >= 0:
			depth = max(0, depth-1)
		case strings.IndexByte(ends, c) >= 0:
			depth = 0
		}
	}
	return deepest
}

// prefixLength is how many marks that may precede a value follow each other.
func prefixLength(source string) int {
	length, longest := 0, 0
	for i := range len(source) {
		switch c := source[i]; {
		case c == '!' || c == '-' || c == '+' || c == '~' || c == '*' || c == '&':
			length++
			longest = max(longest, length)
		case c == '_' || c >= utf8.RuneSelf || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)):
			length = 0
		}
	}
	return longest
}

// angleDepth is how many "<" precede their ">" in a statement.
func angleDepth(source string) int {
	open, deepest := 0, 0
	var outside []int // of each parenthesis that is open
	for i := range len(source) {
		switch source[i] {
		case '<':
			open++
			deepest = max(deepest, open)
		case '>':
			open = max(0, open-1)
		case ';', '{', '}':
			open, outside = 0, outside[:0]
		case '(', '[':
			outside = append(outside, open)
		case ')', ']':
			if last := len(outside) - 1; last >= 0 {
				open, outside = outside[last], outside[:last]
			}
		}
	}
	return deepest
}

// choiceDepth is how many "?" precede their ":" in a statement.
func choiceDepth(source string) int { return depthOf(source, "?", ":", ";{}") }

// The start of a here-document, with its word. In a shell, space may be between them.
var (
	hereWord      = lazyregexp.New("<<[-~]?(?:'([^']*)|\"([^\"]*)|`([^`]*)|\\\\?(\\w+))")
	hereWordShell = lazyregexp.New(`<<-?[ \t]*(?:'([^']*)|"([^"]*)|\\?(\w+))`)
)

// wordsWaiting reports whether the words that end here-documents are more than a scanner has room for: one of them, or
// all that are waited for at once. A grammar that loses track can take any "<<" for the start of one.
func wordsWaiting(here *lazyregexp.Regexp, source string) bool {
	waiting, bytes, at := map[string]int{}, 0, 0
	for _, m := range here.FindAllStringSubmatchIndex(source, -1) {
		for line := range strings.Lines(source[at:m[0]]) {
			if word := strings.TrimRight(strings.TrimSpace(line), ";,)"); waiting[word] > 0 { // PHP continues after the word
				waiting[word]--
				bytes -= wordSize(word)
			}
		}
		at = m[0]
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			word := source[m[i]:m[i+1]]
			waiting[word]++
			if bytes += wordSize(word); bytes > maxWords {
				return true
			}
		}
	}
	return false
}

// wordSize is the most that a scanner needs for a word: four bytes for a letter, and what else there is to know.
func wordSize(word string) int { return 7 + 4*len(word) }
