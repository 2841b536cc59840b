package models

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// openBreakers lets providers fail for half an hour while four callers insist.
func openBreakers(t *testing.T) (counted totals) {
	t.Helper()
	for _, c := range columns {
		if c.way != batched {
			counted.add(insist(t, c, &stack{}))
		}
	}
	return counted
}

// insist counts the calls that reach a provider which fails for half an hour, while its breaker is open.
func insist(t *testing.T, c column, s *stack) (counted totals) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, c.format, c.way)
		script, err := llmtest.New(llmtest.Entry{Fault: &llmtest.Fault{Status: 500}, Times: -1})
		require.NoError(t, err)
		b.server.play(script)
		m := b.model(s)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		var callers sync.WaitGroup
		for call := range 4 {
			callers.Go(func() {
				for ctx.Err() == nil {
					_, err := m.Complete(ctx, b.request(fault{}, call), nil)
					if err == nil {
						t.Error("there was an answer")
					}
					_ = llm.Pause(ctx, time.Second)
				}
			})
		}
		callers.Wait()
		counted = totals{open: whileOpen(b.server.asked), calls: len(b.server.asked)}
	})
	return counted
}

// whileOpen counts calls that came sooner than a minute after the fifth, or after a probe; calls that were under way
// when it opened are none.
func whileOpen(asked []time.Time) int {
	asked = slices.Clone(asked)
	slices.SortFunc(asked, time.Time.Compare)
	early, opened := 0, time.Time{}
	for i, at := range asked {
		switch {
		case i < 4:
		case opened.IsZero(), i < 8 && at.Equal(opened): // the fifth opens it; the others were under way
			opened = at
		case at.Sub(opened) < time.Minute:
			early++
		default:
			opened = at
		}
	}
	return early
}
