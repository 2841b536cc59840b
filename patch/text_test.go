package patch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestSplitLines_AtEveryLineEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                 {},
		"a":                {"a"},
		"a\n":              {"a\n"},
		"a\r\nb\rc\n\n\rd": {"a\r\n", "b\r", "c\n", "\n", "\r", "d"},
	} {
		require.Equal(t, want, patch.SplitLines(text), "%q", text)
	}
}
