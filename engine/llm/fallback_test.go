package llm_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestFallback_DependsOnTheKindOfFailure(t *testing.T) {
	t.Parallel()
	for kind, falls := range map[llm.Kind]bool{
		llm.KindTransient: true, llm.KindUnavailable: true, llm.KindRateLimited: true, llm.KindTruncated: true,
		llm.KindAuth: false, llm.KindInvalid: false, llm.KindOverflow: false, llm.KindLength: false, llm.KindRefused: false,
		llm.KindBudget: false, llm.KindUnsupported: false,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			first := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) {
				_, err := fails(kind, 0)
				return llm.Response{Text: "hal"}, err
			}}
			second := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) {
				return llm.Response{Text: "whole"}, nil
			}}
			var told []llm.Kind
			both := llm.Fallback(first, second, func(cause *llm.Error) { told = append(told, cause.Kind) })
			var shown []string
			answer, err := both.Complete(t.Context(), llm.Request{}, func(s string) { shown = append(shown, s) })
			if !falls {
				requireKind(t, kind, err)
				require.Equal(t, []string{"hal"}, shown)
				require.Zero(t, second.calls.Load())
				require.Empty(t, told)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "whole", answer.Text)
			require.Equal(t, []string{"hal", llm.Restart, "whole"}, shown)
			require.Equal(t, []llm.Kind{kind}, told)
		})
	}
}

func TestFallback_AStandInIsAskedOnce(t *testing.T) {
	t.Parallel()
	down := func(context.Context, int64, llm.Request) (llm.Response, error) { return fails(llm.KindTransient, 0) }
	first, second := &wire{answer: down}, &wire{answer: down}
	requireKind(t, llm.KindTransient, ask(t, llm.Fallback(first, second, nil)))
	require.EqualValues(t, 1, first.calls.Load())
	require.EqualValues(t, 1, second.calls.Load())

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.Fallback(first, second, nil).Complete(cancelled, llm.Request{}, nil)
	require.Error(t, err)
	require.EqualValues(t, 1, second.calls.Load(), "not after a cancel")

	broken := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) {
		return llm.Response{}, errors.New("a bug")
	}}
	require.ErrorContains(t, ask(t, llm.Fallback(broken, second, nil)), "a bug")
	require.EqualValues(t, 1, second.calls.Load())
}
