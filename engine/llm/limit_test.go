package llm_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func answering() *wire {
	return &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) { return llm.Response{Text: "ok"}, nil }}
}

// noted is a model that notes when it is asked, on the clock of its bubble.
func noted(start time.Time, at *[]time.Duration, answer func(n int64) (llm.Response, error)) *wire {
	var mu sync.Mutex
	return &wire{answer: func(_ context.Context, n int64, _ llm.Request) (llm.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		*at = append(*at, time.Since(start).Round(time.Millisecond))
		return answer(n)
	}}
}

func TestLimit_CallsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		m := noted(time.Now(), &at, func(int64) (llm.Response, error) { return llm.Response{}, nil })
		var l llm.Limits
		limited := l.Limit("p", llm.Rate{PerMinute: 30, Burst: 2}, m)
		for range 4 {
			require.NoError(t, ask(t, limited))
		}
		require.Equal(t, seconds(0, 0, 2, 4), at)
	})
}

// No call waits longer than 30 seconds for a turn: a longer wait is an error with its length, and takes no turn from
// others.
func TestLimit_RefusesTooLongAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := answering()
		var l llm.Limits
		limited := l.Limit("p", llm.Rate{PerMinute: 1}, m)
		require.NoError(t, ask(t, limited))
		for range 3 {
			failure := requireKind(t, llm.KindRateLimited, ask(t, limited))
			require.Equal(t, time.Minute, failure.RetryAfter.Round(time.Second))
		}
		require.NoError(t, llm.Pause(t.Context(), 31*time.Second))
		require.NoError(t, ask(t, limited), "29 seconds are waited")
		require.EqualValues(t, 2, m.calls.Load())
	})
}

// A moment that the provider has named to one caller holds for all of them, for all its models.
func TestLimit_AProvidersMomentHoldsForAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked time.Duration
		calls []time.Duration
	}{
		"waited for": {20 * time.Second, append(seconds(0), seconds(20, 20, 20, 20)...)},
		"too long":   {45 * time.Second, seconds(0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				m := noted(time.Now(), &at, func(n int64) (llm.Response, error) {
					if n == 1 {
						return fails(llm.KindRateLimited, c.asked)
					}
					return llm.Response{}, nil
				})
				var l llm.Limits
				requireKind(t, llm.KindRateLimited, ask(t, l.Limit("p", llm.Rate{}, m)))
				var all sync.WaitGroup
				for range 4 {
					all.Go(func() {
						_, err := l.Limit("p", llm.Rate{}, m).Complete(t.Context(), llm.Request{}, nil)
						if c.asked > 30*time.Second {
							require.Equal(t, c.asked, requireKind(t, llm.KindRateLimited, err).RetryAfter)
						} else {
							require.NoError(t, err)
						}
					})
				}
				require.NoError(t, ask(t, l.Limit("other", llm.Rate{}, answering())), "the twin: others are not held up")
				require.Less(t, m.calls.Load(), int64(2))
				all.Wait()
				require.Equal(t, c.calls, at)
			})
		})
	}
}

func TestLimit_AQueueEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l llm.Limits
		limited := l.Limit("p", llm.Rate{PerMinute: 3}, answering())
		require.NoError(t, ask(t, limited))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := limited.Complete(ctx, llm.Request{}, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
