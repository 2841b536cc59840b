package route

import (
	"strconv"
	"strings"
	"unicode"

	"forge/internal/lazyregexp"
)

// wordsOf splits a model's name at everything but letters and digits, in lower case. It drops the publisher before
// the last slash, unless nothing else is left.
func wordsOf(model string) []string {
	model = strings.ReplaceAll(strings.ToLower(model), `\`, "/")
	if _, name := cutLast(model, "/"); name != "" {
		model = name
	}
	return strings.FieldsFunc(model, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func cutLast(text, separator string) (before, after string) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return "", text
	}
	return text[:i], text[i+len(separator):]
}

// fit is how well a pattern matches a name: the number of words, of letters, and the position.
type fit struct{ words, letters, at int }

func (f fit) better(than fit) bool {
	switch {
	case f.words != than.words:
		return f.words > than.words
	case f.letters != than.letters:
		return f.letters > than.letters
	}
	return f.at < than.at
}

// matches reports whether a name contains the words of a pattern, in order, with only numbers between them: "qwen
// coder" matches "qwen2.5-coder:7b".
func matches(pattern string, words []string) (fit, bool) {
	wanted := strings.Fields(pattern)
	for at := range words {
		if standsAt(wanted, words[at:]) {
			return fit{len(wanted), len(pattern), at}, true
		}
	}
	return fit{}, false
}

func standsAt(wanted, words []string) bool {
	if len(words) == 0 || !isWord(wanted[0], words[0]) {
		return false
	}
	next := 1
	for _, word := range words[1:] {
		switch {
		case next == len(wanted):
			return true
		case isWord(wanted[next], word):
			next++
		case !isNumber(word):
			return false
		}
	}
	return next == len(wanted)
}

// isWord reports whether a word of a name is the wanted one, possibly with a version: "phi" matches "phi3".
func isWord(wanted, word string) bool {
	rest, found := strings.CutPrefix(word, wanted)
	if !found {
		return false
	}
	return rest == "" || !endsInDigit(wanted) && isNumber(rest)
}

func isNumber(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

func endsInDigit(word string) bool { return isNumber(word[len(word)-1:]) }

var (
	sizePart    = lazyregexp.New(`(?:^|[^a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)(b|m)(?:[^a-z0-9]|$)`)
	contextWord = lazyregexp.New(`^(\d+)k$`)
)

// sizeOf returns the number of parameters in a name, in thousand millions: "7b", "8x7b", "10.7b", "270m".
func sizeOf(model string) float64 {
	parts := sizePart.FindStringSubmatch(strings.ToLower(model))
	if parts == nil {
		return 0
	}
	size, _ := strconv.ParseFloat(parts[2], 64)
	if experts, err := strconv.ParseFloat(parts[1], 64); err == nil {
		size *= experts
	}
	if parts[3] == "m" {
		size /= 1000
	}
	return size
}

// statedWindow returns the context in a name: "128k".
func statedWindow(words []string) int {
	for _, word := range words {
		if parts := contextWord.FindStringSubmatch(word); parts != nil {
			thousands, _ := strconv.Atoi(parts[1])
			return thousands * 1024
		}
	}
	return 0
}
