package activity

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/step"
)

func TestParallelCallsNeverOverspend(t *testing.T) {
	t.Parallel()
	budget := &Budget{Limit: 1000}
	var wait sync.WaitGroup
	for i := range 32 {
		call := step.ModelCall{Name: fmt.Sprint(i), Request: llm.Request{MaxTokens: 90}}
		wait.Go(func() {
			if budget.reserve(call, most(call)) == nil {
				budget.settle(call, 90)
			}
		})
	}
	wait.Wait()
	require.LessOrEqual(t, budget.Used(), budget.Limit)
	require.Equal(t, 990, budget.Used(), "the twin: what fits is spent")
}

// given is a flow in which every call comes to the same.
type given struct {
	flow.Flow
	output string
	err    error
}

func (g given) Do(context.Context, flow.Call) (json.RawMessage, error) {
	return json.RawMessage(g.output), g.err
}

func TestWhatACallCosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flow given
		do   string
		want int
	}{
		"as the provider says":       {given{output: `{"Usage":{"Input":40,"Output":10}}`}, step.ActivityModel, 50},
		"the provider does not say":  {given{output: `{}`}, step.ActivityModel, 91},
		"a failed call is not free":  {given{err: &flow.Failure{Kind: "truncated"}}, step.ActivityModel, 91},
		"one that was cut off":       {given{err: context.Canceled}, step.ActivityModel, 91},
		"one that was not made":      {given{err: &flow.Failure{Kind: step.FailureBudget}}, step.ActivityModel, 0},
		"one that could not be made": {given{err: &flow.Failure{Kind: step.FailureNoModel}}, step.ActivityModel, 0},
		"what is no call of a model": {given{output: `{}`}, step.ActivityGate, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budget := &Budget{}
			input, err := json.Marshal(step.ModelCall{Request: llm.Request{MaxTokens: 90, Messages: []llm.Message{{Text: "abc"}}}})
			require.NoError(t, err)
			f := Metered(c.flow, budget)
			for range 2 { // a call that is played again is charged once
				_, _ = f.Do(t.Context(), flow.Call{Do: c.do, Input: input})
				require.Equal(t, c.want, budget.Used())
			}
		})
	}
}
