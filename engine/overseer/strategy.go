package overseer

import (
	"slices"
	"strings"
	"unicode"
)

// alike is the share of words that two wordings of one strategy have in common at least (Jaccard's index).
const alike = 0.8

// SameStrategy reports whether two strategies say the same: they differ in hardly more than little words, order, case and
// punctuation.
func SameStrategy(a, b string) bool {
	x, y := telling(a), telling(b)
	if len(x) == 0 || len(y) == 0 {
		return len(x) == len(y)
	}
	common := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		}
	}
	return float64(common) >= alike*float64(len(x)+len(y)-common)
}

// little are words that tell strategies apart in no case. Negations are not among them.
var little = []string{"a", "an", "the", "to", "of", "in", "and", "then", "so", "that", "it", "is", "be", "by", "with", "for", "this", "we", "will", "should", "again", "try"}

// telling are the distinct words of a text that tell something.
func telling(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' })
	for i, w := range words {
		words[i] = strings.Trim(w, ".")
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || slices.Contains(little, w) })
	slices.Sort(words)
	return slices.Compact(words)
}
