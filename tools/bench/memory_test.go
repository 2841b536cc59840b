package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemory_Field(t *testing.T) {
	t.Parallel()
	status := []byte("Name:\tforge\nVmHWM:\t   99 kB\nVmRSS:\t   12345 kB\nThreads:\t7\n")
	rss, err := field(status, "VmRSS:")
	require.NoError(t, err)
	require.InDelta(t, 12345, rss, 0)
	_, err = field(status, "Pss:")
	require.EqualError(t, err, "there is no Pss")
	_, err = field(status, "Name:")
	require.ErrorContains(t, err, "read Name")
}

func TestMemory_StatTicks(t *testing.T) {
	t.Parallel()
	// A name may be anything, and utime to cstime are the fields 14 to 17.
	ticks, err := statTicks([]byte("7 (a) 1 (b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4000 20 0 1"))
	require.NoError(t, err)
	require.Equal(t, 4123, ticks)
	for _, bad := range []string{"", "7 (a) S 1 2", "7 (a) S 1 2 3 4 5 6 7 8 9 10 x 20 3 4000 20 0 1"} {
		_, err := statTicks([]byte(bad))
		require.Error(t, err, bad)
	}
}
