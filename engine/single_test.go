package engine

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSingleOpensOnce(t *testing.T) {
	t.Parallel()
	var s single[*int]
	opened := 0
	open := func() (*int, error) {
		opened++
		n := opened
		return &n, nil
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := s.get(open)
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Equal(t, 1, opened)
	v, is := s.known()
	require.True(t, is)
	require.Equal(t, 1, *v)
}

func TestSingleTriesAgain(t *testing.T) {
	t.Parallel()
	var s single[string]
	_, err := s.get(func() (string, error) { return "", errors.New("the disk is full") })
	require.EqualError(t, err, "the disk is full")
	_, is := s.known()
	require.False(t, is)
	v, err := s.get(func() (string, error) { return "open", nil })
	require.NoError(t, err)
	require.Equal(t, "open", v)
}

func TestSingleIsClosed(t *testing.T) {
	t.Parallel()
	var s single[string]
	opening, ready := make(chan struct{}), make(chan struct{})
	var got sync.WaitGroup
	got.Go(func() {
		_, err := s.get(func() (string, error) {
			close(opening)
			<-ready
			return "open", nil
		})
		require.NoError(t, err)
	})
	<-opening
	_, is := s.known()
	require.False(t, is, "what is being opened is not waited for")
	closed := make(chan string, 1)
	got.Go(func() {
		v, _ := s.close()
		closed <- v
	})
	close(ready)
	require.Equal(t, "open", <-closed, "what was being opened is given to be closed, too")
	got.Wait()
	_, err := s.get(func() (string, error) { return "", nil })
	require.ErrorIs(t, err, errClosed)
	var unused single[string]
	_, is = unused.close()
	require.False(t, is)
}
