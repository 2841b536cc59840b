package testkit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount_IsSmallWithShort(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		require.Equal(t, 3, Cases(3, 200))
		require.Equal(t, 7, Step(7))
		require.Equal(t, []int{1, 3}, Sample(2, []int{1, 2, 3, 4}))
	} else {
		require.Equal(t, 200, Cases(3, 200))
		require.Equal(t, 1, Step(7))
		require.Equal(t, []int{1, 2, 3, 4}, Sample(2, []int{1, 2, 3, 4}))
	}
	require.Equal(t, []int{1, 2}, Sample(3, []int{1, 2}))
}

func TestSpread_ReachesOverAllCases(t *testing.T) {
	t.Parallel()
	cases := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	require.Equal(t, []int{0}, spread(1, cases))
	require.Equal(t, []int{0, 3, 6}, spread(3, cases))
	require.Equal(t, cases, spread(10, cases))
}

func TestOfMap_IsTheSameEachTime(t *testing.T) {
	t.Parallel()
	cases := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}
	want := cases
	if testing.Short() {
		want = map[string]int{"a": 1, "c": 3, "d": 4}
	}
	require.Equal(t, want, SampleMap(2, cases, "d"))
}
