package search

import (
	"cmp"
	"slices"
	"strings"

	"forge/codeintel"
)

// Line is a line of a file, without its end.
type Line struct {
	Number int // from 1
	Text   string
}

// Excerpt returns the lines of a text that say most about a request: of those from first to last, both from 1, at most
// n that hold words of the request, the ones with more different words before the others, in order of the text. Lines
// without a word of it are left out; an empty range is the whole text.
func Excerpt(text, request string, first, last, n int) []Line {
	wanted := map[string]bool{}
	for word := range codeintel.Words(request) {
		wanted[word] = true
	}
	lines := candidates(text, first, last, wanted)
	slices.SortStableFunc(lines, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	lines = lines[:min(n, len(lines))]
	slices.SortFunc(lines, func(a, b scored) int { return cmp.Compare(a.Number, b.Number) })
	var found []Line
	for _, l := range lines {
		found = append(found, l.Line)
	}
	return found
}

// scored is a line with how many different words of the request it holds.
type scored struct {
	Line
	score int
}

func candidates(text string, first, last int, wanted map[string]bool) []scored {
	var found []scored
	number := 0
	for line := range strings.Lines(text) {
		number++
		if number < first {
			continue
		}
		if last >= first && last > 0 && number > last {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if score := wordsIn(line, wanted); score > 0 {
			found = append(found, scored{Line{number, line}, score})
		}
	}
	return found
}

// maxExcerptLine bounds what is read of a line, in bytes: a minified file is one line.
const maxExcerptLine = 4 << 10

func wordsIn(line string, wanted map[string]bool) int {
	seen := map[string]bool{}
	for word := range codeintel.Words(line[:min(len(line), maxExcerptLine)]) {
		if wanted[word] {
			seen[word] = true
		}
	}
	return len(seen)
}
