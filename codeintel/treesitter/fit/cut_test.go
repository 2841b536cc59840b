package fit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCut_LosesNothing(t *testing.T) {
	t.Parallel()
	source := "a\n  b\nc\n\nd é\n}\ne"
	for _, least := range []int{0, 3, 100} {
		require.Equal(t, source, strings.Join(Cut(source, AnyStart, least), ""))
	}
	require.Equal(t, []string{"a\n  b\n", "c\n\n", "d é\n}\n", "e"}, Cut(source, AnyStart, 0))
}
