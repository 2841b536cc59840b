package service

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLineOf_CountsFromOne(t *testing.T) {
	t.Parallel()
	for offset, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 3, 4: 3, 5: 0, 99: 0} {
		require.Equal(t, want, lineOf("a\n\nbc", offset), offset)
	}
}
