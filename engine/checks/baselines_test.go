package checks

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Gates that begin at the same time ask for the versions of tools once, and again only when some time has passed.
func TestLook_IsSharedByConcurrentGates(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	b := &baselines{store: baselineStore{Now: func() time.Time { return time.Unix(now.Load(), 0) }}, seen: map[string]*observed{}}
	var asked atomic.Int32
	look := func() string {
		return b.look("go", time.Minute, func() string { asked.Add(1); return "go1.26" })
	}
	var begun, done sync.WaitGroup
	begun.Add(10)
	for range 10 {
		done.Go(func() {
			begun.Done()
			begun.Wait()
			if look() != "go1.26" {
				t.Error("it has another version")
			}
		})
	}
	done.Wait()
	require.EqualValues(t, 1, asked.Load())
	now.Add(60)
	require.Equal(t, "go1.26", look())
	require.EqualValues(t, 2, asked.Load())
}
