package tool

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines are counted however their bytes come, and what is no line of a test is not.
func TestCounting_CountsTestsAsTheyEnd(t *testing.T) {
	t.Parallel()
	ended := func(line []byte) (ended, passed int) {
		return bytes.Count(line, []byte("end")), bytes.Count(line, []byte("pass"))
	}
	const output = "begin\nend pass\nend\n\nend pass, end pass\nend"
	for _, size := range []int{1, 3, len(output)} {
		var seen [][2]int
		hear := Tools{Ended: ended}.hears(Counting(t.Context(), func(ended, passed int) { seen = append(seen, [2]int{ended, passed}) }))
		for text := []byte(output); len(text) > 0; text = text[min(size, len(text)):] {
			hear(text[:min(size, len(text))])
		}
		require.Equal(t, [2]int{4, 3}, seen[len(seen)-1], "the last line has no end yet")
	}
	require.Nil(t, Tools{Ended: ended}.hears(t.Context()), "no caller counts")
	require.Nil(t, Tools{}.hears(Counting(t.Context(), func(int, int) {})), "it cannot be counted")
}
