package repomap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewest_HeadingsOfMarkdownAndReStructuredText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Markdown":              "# Changelog\n\n## 1.1 (unreleased)\n\n- one\n\n## 1.0\n\n- older\n",
		"stars below":           "Changelog\n---------\n\n1.1 (unreleased)\n****************\n\n- one\n\n1.0 (2024-02-26)\n****************\n\n- older\n",
		"hyphens below":         "Version 1.1\n-----------\n\n- one\n\nVersion 1.0\n-----------\n",
		"plus signs, only ever": "1.1\n+++\n\n- one\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(text, "\n")
			all := newest(lines)
			require.NotEmpty(t, all)
			require.Contains(t, strings.Join(lines[all[0].first:all[0].last+1], ""), "- one")
		})
	}
	require.Empty(t, newest([]string{"Notes\n", "*****\n", "\n", "none\n"}))
}

// A long chapter is shown where its entries are about the same, beside its ends.
func TestNewest_APartOfALongChapter(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Changelog\n\n## 1.1 (unreleased)\n\n")
	for i := range 100 {
		fmt.Fprintf(&b, "- entry %d\n", i)
	}
	b.WriteString("\n## 1.0\n\n- older\n")
	lines := strings.SplitAfter(b.String(), "\n")
	all := newest(lines)
	covered := map[int]bool{}
	for _, u := range all {
		require.Less(t, u.last-u.first, 20, "none is long")
		for line := u.first; line <= u.last; line++ {
			covered[line] = true
		}
	}
	for line, text := range lines {
		require.Equal(t, line >= 2 && line <= 105, covered[line], "%d: %s", line, text)
	}
	f := &source{path: "CHANGELOG.md", lines: lines, units: all}
	f.read()
	e := excerpting{terms: []term{{word: "57", weight: 1}}}
	for i, u := range all {
		about := u.first <= 61 && 61 <= u.last && u.rank > 1
		require.Equal(t, about, e.likeEntries(f, i) > 0, f.texts[i])
	}
}
