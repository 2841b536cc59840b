package step_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/prompt"
	"forge/engine/spend"
	"forge/engine/step"
)

type verdict struct {
	Pass bool `json:"pass"`
}

// conversation is a step with a scripted model.
type conversation struct {
	script *llmtest.Script
	ledger *spend.Ledger
	log    *event.Log
	flow   *flow.Memory
	step   step.Step[verdict]
}

func newConversation(t *testing.T, entries string) *conversation {
	t.Helper()
	script, err := llmtest.Parse(t.Name(), []byte("entries:\n"+entries))
	require.NoError(t, err)
	ledger, err := spend.Open(t.Context(), filepath.Join(t.TempDir(), "cost.db"), spend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	c := &conversation{script: script, ledger: ledger, log: event.NewLog("r", time.Now)}
	kit := activity.Kit{
		Chooser: llm.Only(script.Model()), Emit: func(d event.Data) {
			if _, counts := d.(event.Spent); !counts {
				c.log.Append(d)
			}
		},
		Models:  &activity.Models{Ledger: ledger, Retry: llm.Policy{Attempts: 1}},
		Account: spend.Attempt{Tree: "r", Run: "r"},
	}
	c.flow = flow.InMemory("r", kit.Workers(), flow.DriverOptions{})
	c.step = step.Step[verdict]{
		Place: step.Place{Node: "review", Attempt: 1}, Name: "review", MaxTokens: 100,
		Document: prompt.Document{Instructions: "Judge.", Sections: []prompt.Section{{Name: "Change", Text: "a"}}},
	}
	return c
}

// spent is what was charged.
func (c *conversation) spent(t *testing.T) int64 {
	t.Helper()
	total, err := c.ledger.Spent(t.Context(), "r")
	require.NoError(t, err)
	return total.Tokens
}

func (c *conversation) take(ctx context.Context) (verdict, step.Outcome) {
	env := step.Env{Flow: c.flow, Emit: c.log.Append, Model: c.script.Model().Name(), Window: 10_000}
	return step.Do(ctx, env, c.step)
}

func TestStep_AnswerIsRepairedWithItsFault(t *testing.T) {
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
			c := newConversation(t, bad+"\n- {reply: {json: {pass: true}}}")
			c.step.Check = check
			value, outcome := c.take(t.Context())
			requests, events := c.script.Requests(), c.log.Since(0)
			require.Equal(t, step.Success, outcome.Signal, outcome.Reason)
			require.True(t, value.Pass)
			require.Len(t, requests, 2)
			require.Equal(t, requests[0].Messages[0], requests[1].Messages[0], "the stable part is byte for byte the same")
			first, second := requests[0].Messages[1].Text, requests[1].Messages[1].Text
			require.True(t, strings.HasPrefix(second, first), "a repair only adds to the end")
			require.Contains(t, second, "What is wrong with that answer")
			require.NotEmpty(t, events[0].Data.(event.ModelCalled).Failure)
			require.Empty(t, events[1].Data.(event.ModelCalled).Failure)
		})
	}
}

func TestStep_RepairsEnd(t *testing.T) {
	t.Parallel()
	c := newConversation(t, `- {reply: {text: never}}
- {reply: {text: not now}}
- {reply: {text: not here}}
- {reply: {json: {pass: true}}}`)
	_, outcome := c.take(t.Context())
	require.Equal(t, step.Retryable, outcome.Signal)
	require.Contains(t, outcome.Reason, "no usable review, not even after 2 repairs")
	require.Len(t, c.script.Requests(), 1+step.Repairs)
}

// A model that thinks until its answer has no room left gets more room, and its thoughts are not sent back. So does an answer
// that is too long.
func TestStep_ThoughtsGetMoreRoom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply   string
		windows map[string]int
		limits  []int
		begun   bool
	}{
		"nothing said":            {`{stream: []}`, map[string]int{"review": 100_000}, []int{100, 8_392, 24_976}, false},
		"thoughts in the answer":  {`{text: "<think>hm"}`, map[string]int{"review": 100_000}, []int{100, 8_392, 24_976}, false},
		"a long answer":           {`{text: "{\"pass\": tr"}`, map[string]int{"review": 100_000}, []int{100, 8_392, 24_976}, true},
		"a window":                {`{stream: []}`, map[string]int{"review": 20_000}, []int{100, 5_000, 5_000}, false},
		"a window of some size":   {`{stream: []}`, nil, []int{100, 2_500, 2_500}, false},
		"a window of another one": {`{stream: []}`, map[string]int{"executor": 8}, []int{100, 2_500, 2_500}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := newConversation(t, "- {fault: {kind: length}, reply: "+c.reply+"}\n- {fault: {kind: length}, reply: {stream: []}}\n- {reply: {json: {pass: true}}}")
			env := step.Env{Flow: talk.flow, Emit: talk.log.Append, Window: 10_000, Windows: c.windows}
			_, outcome := step.Do(t.Context(), env, talk.step)
			require.Equal(t, step.Success, outcome.Signal, outcome.Reason)
			var limits []int
			for _, r := range talk.script.Requests() {
				limits = append(limits, r.MaxTokens)
			}
			require.Equal(t, c.limits, limits)
			second := talk.script.Requests()[1].Messages[1].Text
			require.Equal(t, c.begun, strings.Contains(second, "Your previous answer"))
			require.Equal(t, c.begun, strings.Contains(second, "say less"))
			require.Equal(t, !c.begun, strings.Contains(second, "think less"))
		})
	}
}

// An answer that was refused is not asked for again when it comes again.
func TestRepairs_EndWhereTheSameComesAgain(t *testing.T) {
	t.Parallel()
	fails := func(verdict) error { return errors.New("it must not pass") }
	for name, c := range map[string]struct {
		entries string
		refused func(text string, v verdict) bool
		asked   int
	}{
		"the same text":               {`- {reply: {text: never}, times: 9}`, nil, 2},
		"other words, the same to us": {"- {reply: {text: never}}\n- {reply: {text: never!}, times: 8}", once(), 2},
		"known from before the step":  {`- {reply: {text: never}, times: 9}`, func(string, verdict) bool { return true }, 1},
		"one that came earlier":       {"- {reply: {text: a}}\n- {reply: {text: b}}\n- {reply: {text: a}, times: 7}", nil, 3},
		"nothing said, and then more": {"- {reply: {text: ' '}, times: 2}\n- {reply: {json: {pass: true}}}", nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := newConversation(t, c.entries)
			talk.step.Check, talk.step.Refused = fails, c.refused
			_, outcome := talk.take(t.Context())
			require.Equal(t, step.Retryable, outcome.Signal)
			require.Len(t, talk.script.Requests(), c.asked)
			require.Contains(t, outcome.Reason, "the model gave no usable review")
			if c.asked <= step.Repairs {
				require.Contains(t, outcome.Reason, "and gave the same again: ")
			}
		})
	}
}

// once reports all but the first answer as refused before.
func once() func(string, verdict) bool {
	calls := 0
	return func(string, verdict) bool {
		calls++
		return calls > 1
	}
}

func TestStep_NeedsTheUser(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fault, advice string }{
		"key":      {`{kind: status, status: 401}`, "Then resume the run"},
		"overflow": {`{kind: overflow}`, "Name fewer files"},
		"refusal":  {`{kind: filter}`, "Word the task differently"},
		"down":     {`{kind: status, status: 503}`, "Resume the run when it answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := newConversation(t, "- {fault: "+c.fault+", times: 9}")
			_, outcome := talk.take(t.Context())
			require.Equal(t, step.NeedsHuman, outcome.Signal)
			require.Contains(t, outcome.Reason, c.advice)
			require.NotEmpty(t, talk.log.Since(0)[0].Data.(event.ModelCalled).Failure)
		})
	}
}

// When the provider says that the request is too large, it is packed again from what was sent, smaller, and with less room for the
// answer. What cannot become smaller is not sent again.
func TestStep_OverflowIsPackedAgain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 2000)
	for name, c := range map[string]struct {
		cut, most int
		limits    []int // of the answers
		ends      step.Signal
	}{
		"a long request":          {1, 100, []int{100, 100, 100}, step.Success},
		"a long answer":           {0, 10_000, []int{10_000, 5_000, 2_500}, step.Success},
		"both":                    {1, 3_000, []int{3_000, 2_048, 2_048}, step.Success},
		"neither":                 {0, 100, []int{100}, step.NeedsHuman},
		"no longer a long answer": {0, 4_000, []int{4_000, 2_048}, step.NeedsHuman},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := newConversation(t, "- {fault: {kind: overflow}, times: 2}\n- {reply: {json: {pass: true}}}")
			talk.step.MaxTokens = c.most
			talk.step.Document.Sections = []prompt.Section{{Name: "Change", Text: long, Cut: c.cut}}
			_, outcome := talk.take(t.Context())
			require.Equal(t, c.ends, outcome.Signal, outcome.Reason)
			if c.ends != step.Success {
				require.Contains(t, outcome.Reason, "use a model with a larger context")
			}
			var limits []int
			sent := 1 << 20
			for _, r := range talk.script.Requests() {
				limits = append(limits, r.MaxTokens)
				if now := len(r.Messages[1].Text); c.cut > 0 {
					require.Less(t, now, sent*3/4)
					sent = now
				}
			}
			require.Equal(t, c.limits, limits)
		})
	}
}

func TestStep_CancelledStepIsTerminal(t *testing.T) {
	t.Parallel()
	c := newConversation(t, "- {fault: {kind: hang}}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, outcome := c.take(ctx)
	require.Equal(t, step.Terminal, outcome.Signal)
}

// A replayed step has the same result and events, and asks no model.
func TestStep_IsPlayedAgain(t *testing.T) {
	t.Parallel()
	c := newConversation(t, "- {fault: {kind: overflow}}\n- {reply: {text: what}}\n- {reply: {json: {pass: true}}}")
	c.step.MaxTokens = 4_000
	first, outcome := c.take(t.Context())
	require.Equal(t, step.Success, outcome.Signal, outcome.Reason)
	told, spent := c.log.Since(0), c.spent(t)

	c.flow, c.log = c.flow.Again(), event.NewLog("r", time.Now)
	again, outcome := c.take(t.Context())
	require.Equal(t, step.Success, outcome.Signal, outcome.Reason)
	require.Equal(t, first, again)
	require.Empty(t, c.flow.Performed())
	require.NoError(t, c.script.Verify())
	require.Equal(t, spent, c.spent(t), "what was paid counts")
	require.NotZero(t, spent)
	require.Len(t, c.log.Since(0), len(told))
	for i, e := range c.log.Since(0) {
		require.Equal(t, told[i].Data, e.Data)
	}
}

// The budget is a wall: what could go past it is not sent, and not charged.
func TestStep_UsedUpBudgetNeedsTheUser(t *testing.T) {
	t.Parallel()
	c := newConversation(t, `- {reply: {json: {pass: true}}}`)
	require.NoError(t, c.ledger.Allow(t.Context(), "r", spend.Limits{Tokens: 100}))
	_, outcome := c.take(t.Context())
	require.Equal(t, step.NeedsHuman, outcome.Signal)
	require.Contains(t, outcome.Reason, "budget of 100 tokens")
	require.Empty(t, c.script.Requests())
	require.Zero(t, c.spent(t))
	require.Contains(t, outcome.Reason, "forge resume r --tokens")
}

// A request fits the window of its node's model, with room for the answer.
func TestStep_RequestFitsItsModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		windows map[string]int
		most    int // tokens of the answer
		fits    bool
	}{
		"unknown":              {nil, 100, true},
		"of another node":      {map[string]int{"executor": 8}, 100, true},
		"large":                {map[string]int{"review": 9000}, 100, true},
		"the answer gives way": {map[string]int{"review": 360}, 90, true},
		"too small":            {map[string]int{"review": 8}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := newConversation(t, `- {reply: {json: {pass: true}}}`)
			talk.step.Document.Instructions = strings.Repeat("Judge. ", 60)
			env := step.Env{Flow: talk.flow, Emit: talk.log.Append, Window: 10_000, Windows: c.windows}
			_, outcome := step.Do(t.Context(), env, talk.step)
			if !c.fits {
				require.Equal(t, step.NeedsHuman, outcome.Signal)
				require.Empty(t, talk.script.Requests())
				return
			}
			require.Equal(t, step.Success, outcome.Signal, outcome.Reason)
			require.Equal(t, c.most, talk.script.Requests()[0].MaxTokens)
		})
	}
}
