package index

import (
	"iter"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnread_SourceIsReadFirst(t *testing.T) {
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

// Awaited files are read before everything else, and shown at once.
func TestUnread_ReadsAwaitedFilesFirst(t *testing.T) {
	t.Parallel()
	k := &keeper{catalog: newCatalog(nil, false), unread: unread{pending: map[string]bool{}}}
	for _, name := range []string{"a/a.go", "a/server_test.go", "net/http/server.go", "net/rpc/server.go", "z.go"} {
		k.unread.pending[name] = true
	}
	k.unread.prioritize([]string{"http", "server", "that"})
	require.Equal(t, []string{"net/http/server.go", "net/rpc/server.go", "a/server_test.go", "a/a.go", "z.go"}, k.unread.order)
	require.Equal(t, []string{"a/server_test.go", "net/http/server.go", "net/rpc/server.go"}, k.unread.next())
	require.True(t, k.isDue(false))
	k.unread.readAwaited = false
	require.False(t, k.isDue(false), "the twin: nothing else is shown so soon")
	require.Equal(t, []string{"a/a.go", "z.go"}, k.unread.next())
	k.unread.prioritize([]string{"http"})
	require.Empty(t, k.unread.order)

	k.unread.pending["b.go"] = true
	k.unread.prioritize([]string{"nothing"})
	require.Equal(t, []string{"b.go"}, k.unread.next(), "no path has such a word")
	require.False(t, k.unread.readAwaited)
}

// Everything is given out once, in order to each worker, whatever the numbers.
func TestInTurn_GivesOutEverythingOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 16, 17, 1000, 1024} {
		var mu sync.Mutex
		given := make([]int, n)
		inTurn(n, 16, 3, func(worker int, numbers iter.Seq[int]) {
			last := -1
			for i := range numbers {
				mu.Lock()
				if i < last || worker > 0 && n <= 16 {
					given[i] = -n
				}
				given[i]++
				mu.Unlock()
				last = i
			}
		})
		require.Equal(t, slices.Repeat([]int{1}, n), given, n)
	}
}

// Words that are in most paths put one round before all others, and not everything: each view costs time for every file.
func TestUnread_OneRoundIsAwaited(t *testing.T) {
	t.Parallel()
	u := unread{pending: map[string]bool{}}
	for i := range 3 * roundFiles {
		u.pending["server/"+strconv.Itoa(i)+".go"] = true
	}
	u.prioritize([]string{"server"})
	require.Len(t, u.next(), roundFiles)
	require.True(t, u.readAwaited)
	u.readAwaited = false
	require.Len(t, u.next(), roundFiles)
	require.False(t, u.readAwaited)
}
