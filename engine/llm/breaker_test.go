package llm_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// wire is a model that counts who asks it, and does what answer says.
type wire struct {
	calls, inside, most atomic.Int64
	answer              func(ctx context.Context, n int64, q llm.Request) (llm.Response, error)
}

func (w *wire) Name() string { return "wire" }

func (w *wire) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	n := w.calls.Add(1)
	w.most.Store(max(w.most.Load(), w.inside.Add(1)))
	defer w.inside.Add(-1)
	response, err := w.answer(ctx, n, q)
	if onDelta != nil && response.Text != "" {
		onDelta(response.Text)
	}
	return response, err
}

func fails(kind llm.Kind, after time.Duration) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: kind, RetryAfter: after, Model: "wire", Err: errors.New("no luck")}
}

func ask(t *testing.T, m llm.Model) error {
	t.Helper()
	_, err := m.Complete(t.Context(), llm.Request{}, nil)
	return err
}

func requireKind(t *testing.T, kind llm.Kind, err error) *llm.Error {
	t.Helper()
	var failure *llm.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, kind, failure.Kind, err)
	return failure
}

// Only failures of the model open a breaker.
func TestBreaker_OpensOnModelFailuresOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  llm.Kind
		opens bool
	}{
		"failing": {llm.KindTransient, true}, "cut off": {llm.KindTruncated, true},
		"key": {llm.KindAuth, false}, "malformed": {llm.KindInvalid, false}, "limited": {llm.KindRateLimited, false},
		"too large": {llm.KindOverflow, false}, "refused": {llm.KindRefused, false}, "too long": {llm.KindLength, false},
		"feature": {llm.KindUnsupported, false}, "money": {llm.KindBudget, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) { return fails(c.kind, 0) }}
				var b llm.Breakers
				guarded := b.Breaker("p", "m", m)
				for range 5 {
					requireKind(t, c.kind, ask(t, guarded))
				}
				err := ask(t, guarded)
				if !c.opens {
					requireKind(t, c.kind, err)
					return
				}
				failure := requireKind(t, llm.KindUnavailable, err)
				require.InDelta(t, time.Minute, failure.RetryAfter, float64(10*time.Millisecond))
				require.EqualValues(t, 5, m.calls.Load())
				require.True(t, b.Standings()[0].Open)

				other := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) { return llm.Response{}, nil }}
				require.NoError(t, ask(t, b.Breaker("p", "other", other)), "another model is another matter")
				requireKind(t, llm.KindUnavailable, ask(t, b.Breaker("p", "m", other)))
			})
		})
	}
}

func TestBreaker_OneAnswerForgivesFailures(t *testing.T) {
	t.Parallel()
	m := &wire{answer: func(_ context.Context, n int64, _ llm.Request) (llm.Response, error) {
		if n%5 == 0 {
			return llm.Response{Text: "ok"}, nil
		}
		return fails(llm.KindTransient, 0)
	}}
	var b llm.Breakers
	guarded := b.Breaker("p", "m", m)
	for range 40 {
		_ = ask(t, guarded)
	}
	require.EqualValues(t, 40, m.calls.Load())
}

// A caller who loses patience says nothing of the model, also as its probe.
func TestBreaker_CancelledCallsDoNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := true
		m := &wire{answer: func(ctx context.Context, _ int64, _ llm.Request) (llm.Response, error) {
			if down {
				return fails(llm.KindTransient, 0)
			}
			return llm.Response{Text: "ok"}, nil
		}}
		var b llm.Breakers
		guarded := b.Breaker("p", "m", m)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		for range 9 {
			_, err := guarded.Complete(cancelled, llm.Request{}, nil)
			require.ErrorIs(t, err, context.Canceled)
		}
		for range 5 {
			requireKind(t, llm.KindTransient, ask(t, guarded))
		}
		down = false
		time.Sleep(requireKind(t, llm.KindUnavailable, ask(t, guarded)).RetryAfter) //nolint:forbidigo // a bubble's clock
		_, err := guarded.Complete(cancelled, llm.Request{}, nil)
		require.NoError(t, err)
		require.NoError(t, ask(t, guarded))
	})
}

// While a breaker is open no call is sent, and then exactly one of 32 callers probes.
func TestBreaker_OneProbeOfManyCallers(t *testing.T) {
	t.Parallel()
	for name, works := range map[string]bool{"it works again": true, "it still fails": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &wire{answer: func(ctx context.Context, n int64, _ llm.Request) (llm.Response, error) {
					_ = llm.Pause(ctx, time.Second)
					if works && n > 5 {
						return llm.Response{Text: "ok"}, nil
					}
					return fails(llm.KindTransient, 0)
				}}
				var b llm.Breakers
				guarded := b.Breaker("p", "m", m)
				for range 5 {
					requireKind(t, llm.KindTransient, ask(t, guarded))
				}
				storm := func() (answered int64) {
					var count atomic.Int64
					var all sync.WaitGroup
					for range 32 {
						all.Go(func() {
							if _, err := guarded.Complete(t.Context(), llm.Request{}, nil); err == nil {
								count.Add(1)
							}
						})
					}
					all.Wait()
					return count.Load()
				}
				require.Zero(t, storm())
				require.EqualValues(t, 5, m.calls.Load(), "no call while it is open")
				time.Sleep(time.Minute + time.Millisecond) //nolint:forbidigo // a bubble's clock
				m.most.Store(0)
				answered := storm()
				require.EqualValues(t, 6, m.calls.Load(), "one probe")
				require.EqualValues(t, 1, m.most.Load())
				if works {
					require.EqualValues(t, 1, answered)
					require.EqualValues(t, 32, storm(), "the twin: it is closed again")
					return
				}
				require.Zero(t, answered)
				require.Zero(t, storm())
				require.EqualValues(t, 6, m.calls.Load(), "it is open again")
			})
		})
	}
}
