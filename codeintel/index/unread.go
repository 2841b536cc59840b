package index

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

// roundFiles is how many files are read before requests are heard again.
const roundFiles = 1024

// unread are the paths whose words are to be read.
type unread struct {
	pending     map[string]bool
	order       []string // of reading, when it has as many paths as there are pending
	awaited     int      // how many at the beginning of the order a caller waits for
	readAwaited bool     // what a caller waits for was taken
}

// next takes paths: source code first, since most questions are about it.
func (u *unread) next() []string {
	u.lineUp()
	size := min(len(u.order), roundFiles)
	if u.awaited > 0 {
		size = min(size, u.awaited)
		u.awaited, u.readAwaited = u.awaited-size, true
	}
	names := slices.Sorted(slices.Values(u.order[:size])) // segments are in order of paths
	u.order = u.order[len(names):]
	for _, name := range names {
		delete(u.pending, name)
	}
	return names
}

// lineUp rebuilds the order when other paths are pending.
func (u *unread) lineUp() {
	if len(u.order) != len(u.pending) {
		u.order, u.awaited = inReadingOrder(maps.Keys(u.pending)), 0
	}
}

// prioritize puts pending paths that have some of the words before all others, those with most of them first. What is read next is
// shown as soon as it is read: one round of it, for words such as "test" are in most paths, and each view costs time for every file.
func (u *unread) prioritize(words []string) {
	if len(u.pending) == 0 || len(words) == 0 {
		return
	}
	u.lineUp()
	var byCount [][]string
	var others []string
	for _, name := range u.order {
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
	u.order = append(slices.Concat(byCount...), others...)
	u.awaited = min(len(u.order)-len(others), roundFiles)
}

// inReadingOrder puts source code first, and then what is asked for less often: tests, what tests read, and what is in no
// programming language.
func inReadingOrder(names iter.Seq[string]) []string {
	var byRank [4][]string
	for name := range names {
		rank := readingRank(name)
		byRank[rank] = append(byRank[rank], name)
	}
	for _, names := range byRank {
		slices.Sort(names)
	}
	return slices.Concat(byRank[:]...)
}

func readingRank(name string) int {
	switch {
	case codeintel.LanguageOf(name) == "":
		return 3
	case strings.Contains(name, "testdata/"):
		return 2
	case isTest(name):
		return 1
	}
	return 0
}

// isTest reports whether a path is named as tests are in most languages. If it is wrong, a file is read a moment sooner
// or later.
func isTest(name string) bool {
	folder, base := path.Split("/" + name)
	return strings.Contains(folder, "/test/") || strings.Contains(folder, "/tests/") || strings.Contains(folder, "/__tests__/") ||
		strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
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
