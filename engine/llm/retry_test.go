package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// flaky answers each call with the next of its steps and notes when it was called.
type flaky struct {
	steps []step
	calls []time.Duration
	start time.Time
}

type step struct {
	pieces []string
	err    error
}

func (f *flaky) Name() string { return "flaky" }

func (f *flaky) Complete(_ context.Context, _ llm.Request, onDelta func(string)) (llm.Response, error) {
	next := f.steps[len(f.calls)]
	f.calls = append(f.calls, time.Since(f.start))
	var text string
	for _, piece := range next.pieces {
		text += piece
		if onDelta != nil {
			onDelta(piece)
		}
	}
	return llm.Response{Text: text, Finish: llm.FinishStop}, next.err
}

func failed(kind llm.Kind, after time.Duration) step {
	return step{err: &llm.Error{Kind: kind, RetryAfter: after, Model: "flaky", Err: errors.New("no luck")}}
}

func always() float64 { return 0.999999999 }
func never() float64  { return 0 }

func TestRetry_Waits(t *testing.T) {
	t.Parallel()
	transient := failed(llm.KindTransient, 0)
	answer := step{pieces: []string{"ok"}}
	tests := map[string]struct {
		steps  []step
		policy llm.Policy
		calls  []time.Duration // when each call came, rounded to a second
		fails  string
		kind   llm.Kind // of the failure
	}{
		"first call answers": {
			steps: []step{answer}, policy: llm.Policy{Jitter: always}, calls: seconds(0),
		},
		"waits double": {
			steps:  []step{transient, failed(llm.KindTruncated, 0), transient, transient, answer},
			policy: llm.Policy{Jitter: always}, calls: seconds(0, 2, 6, 14, 30),
		},
		"five calls are all": {
			steps:  []step{transient, transient, transient, transient, transient},
			policy: llm.Policy{Jitter: always}, calls: seconds(0, 2, 6, 14, 30), fails: "gave up after 5 attempts",
		},
		"full jitter reaches down to no wait": {
			steps:  []step{transient, transient, answer},
			policy: llm.Policy{Jitter: never}, calls: seconds(0, 0, 0),
		},
		"a wait is never longer than the bound": {
			steps:  []step{transient, transient, transient, answer},
			policy: llm.Policy{Jitter: always, Initial: 100 * time.Second}, calls: seconds(0, 100, 220, 340),
		},
		"no call before the provider's moment": {
			steps:  []step{failed(llm.KindRateLimited, 45*time.Second), failed(llm.KindRateLimited, 7*time.Second), answer},
			policy: llm.Policy{Jitter: never}, calls: seconds(0, 45, 52),
		},
		"an overloaded server may name a moment too": {
			steps:  []step{failed(llm.KindTransient, 9*time.Second), answer},
			policy: llm.Policy{Jitter: never}, calls: seconds(0, 9),
		},
		"the provider's moment at the bound is kept": {
			steps:  []step{failed(llm.KindRateLimited, 120*time.Second), answer},
			policy: llm.Policy{Jitter: always}, calls: seconds(0, 120),
		},
		"an hour is not waited for, nor called before": {
			steps:  []step{failed(llm.KindRateLimited, time.Hour)},
			policy: llm.Policy{Jitter: always}, calls: seconds(0), fails: "asked to wait 1h0m0s",
		},
		"auth":     {steps: []step{failed(llm.KindAuth, 0)}, calls: seconds(0), fails: "no luck", kind: llm.KindAuth},
		"overflow": {steps: []step{failed(llm.KindOverflow, 0)}, calls: seconds(0), fails: "no luck", kind: llm.KindOverflow},
		"refused":  {steps: []step{failed(llm.KindRefused, 0)}, calls: seconds(0), fails: "no luck", kind: llm.KindRefused},
		"invalid":  {steps: []step{failed(llm.KindInvalid, 0)}, calls: seconds(0), fails: "no luck", kind: llm.KindInvalid},
		"length":   {steps: []step{failed(llm.KindLength, 0)}, calls: seconds(0), fails: "no luck", kind: llm.KindLength},
		"foreign":  {steps: []step{{err: errors.New("a bug")}}, calls: seconds(0), fails: "a bug"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := &flaky{steps: test.steps, start: time.Now()}
				response, err := llm.Retry(model, test.policy).Complete(t.Context(), llm.Request{}, nil)
				for i := range model.calls {
					model.calls[i] = model.calls[i].Round(time.Second)
				}
				require.Empty(t, cmp.Diff(test.calls, model.calls))
				if test.fails != "" {
					require.ErrorContains(t, err, test.fails)
					var failed *llm.Error
					if test.kind != "" {
						require.ErrorAs(t, err, &failed)
						require.Equal(t, test.kind, failed.Kind)
					}
					return
				}
				require.NoError(t, err)
				require.Equal(t, "ok", response.Text)
			})
		})
	}
}

func seconds(all ...int) []time.Duration {
	durations := make([]time.Duration, len(all))
	for i, s := range all {
		durations[i] = time.Duration(s) * time.Second
	}
	return durations
}

func TestRetry_KeepsTheKindWhenItGivesUp(t *testing.T) {
	t.Parallel()
	model := &flaky{steps: []step{failed(llm.KindRateLimited, time.Second), failed(llm.KindRateLimited, 3*time.Second)}}
	policy := llm.Policy{Attempts: 2, Sleep: func(context.Context, time.Duration) error { return nil }}
	_, err := llm.Retry(model, policy).Complete(t.Context(), llm.Request{}, nil)
	var failure *llm.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, llm.KindRateLimited, failure.Kind)
	require.Equal(t, 3*time.Second, failure.RetryAfter)
}

func TestRetry_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		model := &flaky{steps: []step{failed(llm.KindRateLimited, 100*time.Second)}, start: time.Now()}
		time.AfterFunc(3*time.Second, cancel)
		_, err := llm.Retry(model, llm.Policy{}).Complete(ctx, llm.Request{}, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 3*time.Second, time.Since(model.start))
		require.Len(t, model.calls, 1)
	})
}

func TestRetry_VoidsShownText(t *testing.T) {
	t.Parallel()
	half := failed(llm.KindTruncated, 0)
	half.pieces = []string{"hal", "f"}
	silent := failed(llm.KindTransient, 0)
	model := &flaky{steps: []step{half, silent, {pieces: []string{"who", "le"}}}}
	var told []int
	policy := llm.Policy{
		Sleep:  func(context.Context, time.Duration) error { return nil },
		Notify: func(attempt int, _ *llm.Error, _ time.Duration) { told = append(told, attempt) },
	}
	var shown []string
	response, err := llm.Retry(model, policy).Complete(t.Context(), llm.Request{}, func(piece string) { shown = append(shown, piece) })
	require.NoError(t, err)
	require.Equal(t, "whole", response.Text)
	require.Empty(t, cmp.Diff([]string{"hal", "f", llm.Restart, "who", "le"}, shown))
	require.Equal(t, []int{1, 2}, told)
	require.Equal(t, "flaky", llm.Retry(model, policy).Name())
}
