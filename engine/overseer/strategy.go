package overseer

import (
	"slices"
	"strings"
	"unicode"
)

// alike is the least share of common words of two wordings of one strategy (Jaccard's index).
const alike = 0.8

// SameStrategy reports whether two strategies are the same: they hardly differ except in function words, order, case and
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

// little are words that never distinguish strategies. Negations are not among them.
var little = []string{"a", "an", "the", "to", "of", "in", "and", "then", "so", "that", "it", "is", "be", "by", "with", "for", "this", "we", "will", "should", "again", "try"}

// telling returns the distinct significant words of a text.
func telling(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' })
	for i, w := range words {
		words[i] = strings.Trim(w, ".")
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || slices.Contains(little, w) })
	slices.Sort(words)
	return slices.Compact(words)
}
