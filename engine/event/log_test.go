package event

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newTestLog() *Log {
	moment := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return NewLog("r-1", func() time.Time { return moment })
}

func TestLog_SequenceNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 100 {
				log.Append(GateStarted{Gate: "gofmt"})
			}
		})
	}
	writers.Wait()
	events := log.Since(0)
	require.Len(t, events, 800)
	for i, e := range events {
		require.Equal(t, i+1, e.Seq)
		require.Equal(t, "r-1", e.RunID)
	}
}

func TestLog_RejectsEventsAfterTheEnd(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	log.Append(RunStarted{Task: "x"})
	log.Append(RunEnded{State: Cancelled})
	log.Append(GateStarted{Gate: "too late"})
	log.Append(RunEnded{State: Succeeded})
	events := log.Since(0)
	require.Len(t, events, 2)
	require.Equal(t, RunEnded{State: Cancelled}, events[1].Data)
}

func TestLog_SinceReplays(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	for range 3 {
		log.Append(GateStarted{})
	}
	require.Len(t, log.Since(1), 2)
	require.Equal(t, 2, log.Since(1)[0].Seq)
	require.Empty(t, log.Since(3))
	require.Empty(t, log.Since(99))
	require.Len(t, log.Since(-1), 3)
}

// Every follower sees every event in order, whenever it came, and ends with the run.
func TestLog_FollowersSeeEverything(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	log.Append(RunStarted{})
	seen := make([][]int, 4)
	var followers sync.WaitGroup
	for i := range seen {
		followers.Go(func() {
			for e := range log.Follow(t.Context(), 0) {
				seen[i] = append(seen[i], e.Seq)
			}
		})
	}
	log.Append(GateStarted{})
	log.Append(RunEnded{State: Succeeded})
	followers.Wait()
	for _, s := range seen {
		require.Equal(t, []int{1, 2, 3}, s)
	}
}

func TestLog_AFollowerEndsWithItsContextOrItsLoop(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	log.Append(RunStarted{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := 0
	for range log.Follow(ctx, 0) {
		count++
		cancel()
	}
	require.Equal(t, 1, count)
	for range log.Follow(t.Context(), 0) {
		break
	}
}
