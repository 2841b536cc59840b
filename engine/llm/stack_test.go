package llm_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// stack is everything that stands between a step and an adapter, in this package.
func stack(first, second llm.Model) llm.Model {
	var breakers llm.Breakers
	var limits llm.Limits
	var learned llm.Learned
	one := func(name string, m llm.Model, standIn bool) llm.Model {
		m = limits.Limit(name, llm.Rate{}, learned.Degrade(name, "m", m))
		return llm.Retry(breakers.Breaker(name, "m", m), llm.Policy{Jitter: always, StandIn: standIn})
	}
	if second == nil {
		return one("first", first, false)
	}
	return llm.Fallback(one("first", first, true), one("second", second, false), nil)
}

// However a model fails, a call asks it as often as the policy says, and its stand-in as often again: attempts add up and
// never multiply.
func TestStack_AttemptsNeverMultiply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind          llm.Kind
		after         time.Duration
		first, second int64
	}{
		"failing":          {llm.KindTransient, 0, 5, 5},
		"cut off":          {llm.KindTruncated, 0, 2, 2},
		"limited":          {llm.KindRateLimited, 9 * time.Second, 5, 5},
		"limited for long": {llm.KindRateLimited, time.Hour, 1, 1},
		"key":              {llm.KindAuth, 0, 1, 0},
		"malformed":        {llm.KindInvalid, 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				down := func(context.Context, int64, llm.Request) (llm.Response, error) { return fails(c.kind, c.after) }
				first, second := &wire{answer: down}, &wire{answer: down}
				requireKind(t, c.kind, ask(t, stack(first, second)))
				require.Equal(t, c.first, first.calls.Load())
				require.Equal(t, c.second, second.calls.Load())
			})
		})
	}
}

// A call that meets an open breaker waits for the moment it names, and sends nothing before.
func TestStack_AnOpenBreakerIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		m := noted(time.Now(), &at, func(n int64) (llm.Response, error) {
			if n <= 5 {
				return fails(llm.KindTransient, 0)
			}
			return llm.Response{Text: "ok"}, nil
		})
		patient := stack(m, nil)
		requireKind(t, llm.KindTransient, ask(t, patient)) // 5 attempts, until 30 s
		require.NoError(t, ask(t, patient))
		require.Len(t, at, 6)
		require.Equal(t, 90*time.Second, at[5].Round(time.Second))

		hasty := stack(&wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) { return fails(llm.KindTransient, 0) }}, m)
		require.NoError(t, ask(t, hasty))
		before := time.Now()
		require.NoError(t, ask(t, hasty))
		require.Equal(t, before, time.Now(), "with a fallback there is no wait")
	})
}

// A moment that a provider names is heeded by all who call, however many there are. Calls that begin at the very moment of the answer that
// names it are under way already: time stands still in a bubble while they run.
func TestStack_NoCallBeforeItsMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var named, until time.Time
		early := 0
		m := &wire{answer: func(_ context.Context, n int64, _ llm.Request) (llm.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if now := time.Now(); now.After(named) && now.Before(until) {
				early++
			}
			if n%3 == 1 && n < 40 {
				named = time.Now()
				until = named.Add(25 * time.Second)
				return fails(llm.KindRateLimited, 25*time.Second)
			}
			return llm.Response{Text: "ok"}, nil
		}}
		guarded := stack(m, nil)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				_ = llm.Pause(t.Context(), time.Duration(i)*100*time.Millisecond)
				_, _ = guarded.Complete(t.Context(), llm.Request{}, nil)
			})
		}
		all.Wait()
		require.Zero(t, early)
	})
}

// After a cut the answer is asked for in one piece, once.
func TestStack_ACutStreamIsAskedForWhole(t *testing.T) {
	t.Parallel()
	var whole []bool
	m := &wire{answer: func(_ context.Context, n int64, q llm.Request) (llm.Response, error) {
		whole = append(whole, q.Whole)
		if n == 2 {
			return fails(llm.KindTruncated, 0)
		}
		if n < 5 {
			return fails(llm.KindTransient, 0)
		}
		return llm.Response{Text: "ok"}, nil
	}}
	policy := llm.Policy{Sleep: func(context.Context, time.Duration) error { return nil }}
	require.NoError(t, ask(t, llm.Retry(m, policy)))
	require.Equal(t, []bool{false, false, true, true, true}, whole)
	require.True(t, slices.Contains(whole, false))
}
