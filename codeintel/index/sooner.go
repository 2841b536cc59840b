package index

import (
	"slices"

	"forge/codeintel"
)

// Sooner has the files read next whose paths have words of a text: somebody waits for what is in them. Where nothing is
// pending it does nothing.
func (x *Index) Sooner(text string) {
	words := slices.Compact(slices.Sorted(codeintel.Words(text)))
	if len(words) > 0 {
		x.inbox.put(func(r *requests) { r.sooner = words })
	}
}

// wordsIn counts the words that a path has.
func wordsIn(name string, words []string) (n int) {
	has := slices.Collect(codeintel.Words(name))
	for _, word := range words {
		if slices.Contains(has, word) {
			n++
		}
	}
	return n
}
