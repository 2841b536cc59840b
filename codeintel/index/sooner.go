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

// hurry puts pending paths that have some of the words before all others, those with most of them first. What is read next is
// shown as soon as it is read: one round of it, for words such as "test" are in most paths, and each view costs time for every file.
func (k *keeper) hurry(words []string) {
	if len(k.pending) == 0 || len(words) == 0 {
		return
	}
	k.lineUp()
	var byCount [][]string
	var others []string
	for _, name := range k.queue {
		n := wordsIn(name, words)
		if n == 0 {
			others = append(others, name)
			continue
		}
		for len(byCount) < n {
			byCount = append(byCount, nil)
		}
		byCount[n-1] = append(byCount[n-1], name)
	}
	slices.Reverse(byCount)
	k.queue = append(slices.Concat(byCount...), others...)
	k.awaited = min(len(k.queue)-len(others), roundFiles)
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
