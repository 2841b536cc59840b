package state_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/state"
)

func TestLazy_OpensOnceForEachKey(t *testing.T) {
	t.Parallel()
	var values state.Lazy[string, int]
	var mu sync.Mutex
	opened := map[string]int{}
	open := func(key string) func() (int, error) {
		return func() (int, error) {
			mu.Lock()
			defer mu.Unlock()
			opened[key]++
			return len(key), nil
		}
	}
	var all sync.WaitGroup
	for range 8 {
		for _, key := range []string{"a", "bb"} {
			all.Go(func() {
				v, err := values.Get(key, open(key))
				require.NoError(t, err)
				require.Equal(t, len(key), v)
			})
		}
	}
	all.Wait()
	require.Equal(t, map[string]int{"a": 1, "bb": 1}, opened)
	v, ok := values.Opened("bb")
	require.True(t, ok)
	require.Equal(t, 2, v)
	require.ElementsMatch(t, []string{"a", "bb"}, values.Keys())
}

func TestLazy_TriesAgainAfterAnError(t *testing.T) {
	t.Parallel()
	var values state.Lazy[string, string]
	_, err := values.Get("a", func() (string, error) { return "", errors.New("the disk is full") })
	require.EqualError(t, err, "the disk is full")
	_, ok := values.Opened("a")
	require.False(t, ok)
	require.Empty(t, values.Keys())
	v, err := values.Get("a", func() (string, error) { return "open", nil })
	require.NoError(t, err)
	require.Equal(t, "open", v)
}

func TestLazy_CloseEndsAPendingOpen(t *testing.T) {
	t.Parallel()
	var values state.Lazy[string, string]
	opening, ready := make(chan struct{}), make(chan struct{})
	var got sync.WaitGroup
	got.Go(func() {
		_, err := values.Get("a", func() (string, error) {
			close(opening)
			<-ready
			return "open", nil
		})
		require.NoError(t, err)
	})
	<-opening
	_, ok := values.Opened("a")
	require.False(t, ok, "Opened waits for nothing")
	var closed []string
	got.Go(func() { values.Close(func(_, v string) { closed = append(closed, v) }) })
	close(ready)
	got.Wait()
	require.Equal(t, []string{"open"}, closed)
	_, err := values.Get("a", func() (string, error) { return "", nil })
	require.ErrorIs(t, err, state.ErrClosed)
}
