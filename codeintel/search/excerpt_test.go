package search_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel/search"
)

func TestExcerpt_HasTheLinesThatMatter(t *testing.T) {
	t.Parallel()
	const text = "package cache\r\n\r\n// Evict drops the oldest entry.\r\nfunc Evict() {\r\n\tentries.drop(oldest)\r\n}\r\nvar oldest = evicted"
	line := func(number int, text string) search.Line { return search.Line{Number: number, Text: text} }
	tests := []struct {
		name, request  string
		first, last, n int
		want           []search.Line
	}{
		{"the lines with most words, the first of equals", "evict the oldest entry", 1, 7, 2, []search.Line{line(3, "// Evict drops the oldest entry."), line(5, "\tentries.drop(oldest)")}},
		{"in order of the text", "drop oldest", 1, 7, 9, []search.Line{line(3, "// Evict drops the oldest entry."), line(5, "\tentries.drop(oldest)"), line(7, "var oldest = evicted")}},
		{"of the range only", "oldest", 4, 6, 9, []search.Line{line(5, "\tentries.drop(oldest)")}},
		{"no range is everything", "cache", 0, 0, 9, []search.Line{line(1, "package cache")}},
		{"a range behind the end", "oldest", 90, 99, 9, nil},
		{"no such word", "walrus", 1, 7, 9, nil},
		{"no words", "", 1, 7, 9, nil},
		{"none wanted", "oldest", 1, 7, 0, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, cmp.Diff(test.want, search.Excerpt(text, test.request, test.first, test.last, test.n)))
		})
	}
}

func TestExcerpt_OfAMinifiedFile(t *testing.T) {
	t.Parallel()
	require.Empty(t, search.Excerpt(strings.Repeat("x;", 1<<20)+"oldest", "oldest", 1, 1, 3))
	require.Len(t, search.Excerpt("oldest"+strings.Repeat(";x", 1<<20), "oldest", 1, 1, 3), 1)
}
