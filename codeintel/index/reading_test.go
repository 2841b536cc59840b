package index

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSourceIsReadFirst(t *testing.T) {
	t.Parallel()
	names := []string{
		"LICENSE", "a/a_test.go", "a/contest.go", "a/testdata/x.go", "logo.svg", "spec/app.spec.ts", "src/app.ts", "test/run.py", "test_it.py", "tester/latest.go",
	}
	require.Equal(t, []string{
		"a/contest.go", "src/app.ts", "tester/latest.go", // no tests, though they sound like it
		"a/a_test.go", "spec/app.spec.ts", "test/run.py", "test_it.py",
		"a/testdata/x.go",
		"LICENSE", "logo.svg",
	}, inReadingOrder(slices.Values(names)))
}

// Everything is given out once, in order to each worker, whatever the numbers.
func TestInTurnGivesOutEverythingOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, few, few + 1, 1000, 1024} {
		var mu sync.Mutex
		given := make([]int, n)
		inTurn(n, 3, func(worker int, next func() (from, to int)) {
			last := 0
			for from, to := next(); from < to; from, to = next() {
				mu.Lock()
				if from < last || worker > 0 && n <= few {
					given[from] = -n
				}
				for i := from; i < to; i++ {
					given[i]++
				}
				mu.Unlock()
				last = to
			}
		})
		require.Equal(t, slices.Repeat([]int{1}, n), given, n)
	}
}
