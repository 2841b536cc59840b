package step

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/prompt"
)

type verdict struct {
	Pass bool `json:"pass"`
}

// ask takes one step of a script, and returns what it came to and what the model was asked.
func ask(t *testing.T, entries string, budget *Budget, check func(verdict) error) (verdict, Outcome, []llm.Request, []event.Event) {
	t.Helper()
	script, err := llmtest.Parse(t.Name(), []byte("entries:\n"+entries))
	require.NoError(t, err)
	log := event.NewLog("r", time.Now)
	env := Env{Model: script.Model(), Log: log, Budget: budget, Now: time.Now, Window: 10_000}
	value, outcome := Do(t.Context(), env, Step[verdict]{
		Node: "review", Attempt: 1, Name: "review", MaxTokens: 100, Check: check,
		Document: prompt.Document{Instructions: "Judge.", Sections: []prompt.Section{{Name: "Change", Text: "a"}}},
	})
	return value, outcome, script.Requests(), log.Since(0)
}

func TestAnAnswerIsRepairedWithItsFault(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"no JSON":   `- {reply: {text: "I think so."}}`,
		"too long":  `- {fault: {kind: length}, reply: {text: "{\"pass\": tr"}}`,
		"unchecked": `- {reply: {json: {pass: false}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(v verdict) error {
				if !v.Pass {
					return errors.New("it must pass")
				}
				return nil
			}
			value, outcome, requests, events := ask(t, bad+"\n- {reply: {json: {pass: true}}}", &Budget{}, check)
			require.Equal(t, Success, outcome.Signal, outcome.Reason)
			require.True(t, value.Pass)
			require.Len(t, requests, 2)
			require.Equal(t, requests[0].Messages[0], requests[1].Messages[0], "the stable part is byte for byte the same")
			first, second := requests[0].Messages[1].Text, requests[1].Messages[1].Text
			require.True(t, strings.HasPrefix(second, first), "a repair only adds to the end")
			require.Contains(t, second, "What is wrong with it")
			require.NotEmpty(t, events[0].Data.(event.ModelCalled).Failure)
			require.Empty(t, events[1].Data.(event.ModelCalled).Failure)
		})
	}
}

func TestRepairsEnd(t *testing.T) {
	t.Parallel()
	_, outcome, requests, _ := ask(t, `- {reply: {text: never}, times: 9}`, &Budget{}, nil)
	require.Equal(t, Retryable, outcome.Signal)
	require.Len(t, requests, 1+Repairs)
}

func TestWhatOnlyAPersonCanMend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fault, advice string }{
		"key":      {`{kind: status, status: 401}`, "Check the key"},
		"overflow": {`{kind: overflow}`, "Name fewer files"},
		"refusal":  {`{kind: filter}`, "Word the task differently"},
		"down":     {`{kind: status, status: 503}`, "run again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, outcome, _, events := ask(t, "- {fault: "+c.fault+", times: 9}", &Budget{}, nil)
			require.Equal(t, NeedsHuman, outcome.Signal)
			require.Contains(t, outcome.Reason, c.advice)
			require.NotEmpty(t, events[0].Data.(event.ModelCalled).Failure)
		})
	}
}

// When the provider says that the request is too large, it is packed once more, smaller.
func TestOverflowIsPackedOnceMore(t *testing.T) {
	t.Parallel()
	_, outcome, requests, _ := ask(t, "- {fault: {kind: overflow}}\n- {reply: {json: {pass: true}}}", &Budget{}, nil)
	require.Equal(t, Success, outcome.Signal, outcome.Reason)
	require.Len(t, requests, 2)
}

func TestACancelledStepIsTerminal(t *testing.T) {
	t.Parallel()
	script, err := llmtest.Parse(t.Name(), []byte("entries: [{fault: {kind: hang}}]"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, outcome := Do(ctx, Env{Model: script.Model(), Log: event.NewLog("r", time.Now), Budget: &Budget{}, Window: 1000}, Step[verdict]{Name: "x"})
	require.Equal(t, Terminal, outcome.Signal)
}

// The budget is a wall: what could go past it is not sent.
func TestTheBudgetIsAWall(t *testing.T) {
	t.Parallel()
	_, outcome, requests, _ := ask(t, `- {reply: {json: {pass: true}}}`, &Budget{Limit: 100}, nil)
	require.Equal(t, NeedsHuman, outcome.Signal)
	require.Contains(t, outcome.Reason, "budget of 100 tokens")
	require.Empty(t, requests)
}

func TestParallelCallsNeverOverspend(t *testing.T) {
	t.Parallel()
	budget := &Budget{Limit: 1000}
	request := llm.Request{MaxTokens: 90}
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			reserved, err := budget.reserve(request)
			if err == nil {
				budget.settle(reserved, llm.Response{Usage: llm.Usage{Input: 40, Output: 50}}, nil)
			}
		})
	}
	wait.Wait()
	require.LessOrEqual(t, budget.Used(), budget.Limit)
	require.Equal(t, 990, budget.Used(), "the twin: what fits is spent")
}

func TestAFailedCallIsNotFree(t *testing.T) {
	t.Parallel()
	budget := &Budget{Limit: 1000}
	reserved, err := budget.reserve(llm.Request{MaxTokens: 90})
	require.NoError(t, err)
	budget.settle(reserved, llm.Response{}, errors.New("cut"))
	require.Equal(t, 90, budget.Used())
}
