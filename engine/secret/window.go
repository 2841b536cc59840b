package secret

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Expressions are slow on long texts, and every match contains a keyword of its rule, so they are only tried around
// keywords. tools/gitleaks compares that with gitleaks, which tries them on the whole text.

// window is a part of a text, from line to line.
type window struct{ start, end int }

// reach returns the maximum distance in bytes between a keyword and the ends of its match, except for runs within one
// line; negative if unlimited, because a run may cross any number of lines.
func reach(expression string) int {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return -1
	}
	return longest(parsed)
}

// longest returns the length in bytes of the longest match; an unlimited run within a line counts once.
func longest(e *syntax.Regexp) int {
	sum := 0
	switch e.Op { //nolint:exhaustive // the others have no length
	case syntax.OpLiteral:
		return 4 * len(e.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			n := longest(sub)
			if n < 0 {
				return n
			}
			sum = max(sum, n)
		}
		return sum
	}
	for _, sub := range e.Sub {
		n := longest(sub)
		if n < 0 {
			return n
		}
		sum += n
	}
	switch {
	case e.Op == syntax.OpStar, e.Op == syntax.OpPlus, e.Op == syntax.OpRepeat && e.Max < 0:
		if crossesLines(e.Sub[0]) {
			return -1
		}
		return sum * max(1, e.Min)
	case e.Op == syntax.OpRepeat:
		return sum * e.Max
	}
	return sum
}

// crossesLines reports whether a match may contain a line end.
func crossesLines(e *syntax.Regexp) bool {
	switch e.Op { //nolint:exhaustive // the others are composed of these
	case syntax.OpAnyChar:
		return true
	case syntax.OpLiteral:
		return strings.ContainsRune(string(e.Rune), '\n')
	case syntax.OpCharClass:
		for i := 0; i < len(e.Rune); i += 2 {
			if e.Rune[i] <= '\n' && '\n' <= e.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(e.Sub, crossesLines)
}

// windows returns the parts of a text around places, in order and without overlaps.
func windows(text string, places []int, reach int) (all []window) {
	if reach < 0 {
		return []window{{0, len(text)}}
	}
	for _, at := range places {
		w := window{lineStart(text, lineStart(text, at-reach)-reach), lineEnd(text, lineEnd(text, at+reach)+reach)}
		if n := len(all); n > 0 && w.start <= all[n-1].end {
			all[n-1].end = max(all[n-1].end, w.end)
			continue
		}
		all = append(all, w)
	}
	return all
}

func lineStart(text string, at int) int {
	return strings.LastIndexByte(text[:max(at, 0)], '\n') + 1
}

func lineEnd(text string, at int) int {
	at = min(at, len(text))
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}
