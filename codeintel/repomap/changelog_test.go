package repomap

import (
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
