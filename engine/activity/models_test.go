package activity

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/spend"
	"forge/engine/step"
)

// onWire is an adapter that counts who asks it.
type onWire struct {
	name   string
	calls  atomic.Int64
	answer func(n int64, q llm.Request) (llm.Response, error)
}

func (w *onWire) Name() string { return w.name }

func (w *onWire) Complete(_ context.Context, q llm.Request, _ func(string)) (llm.Response, error) {
	return w.answer(w.calls.Add(1), q)
}

func answering(text string) func(int64, llm.Request) (llm.Response, error) {
	return func(int64, llm.Request) (llm.Response, error) {
		return llm.Response{Text: text, Finish: llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 5}}, nil
	}
}

func failing(e llm.Error) func(int64, llm.Request) (llm.Response, error) {
	return func(int64, llm.Request) (llm.Response, error) {
		copied := e
		copied.Err = errors.New("no luck")
		return llm.Response{}, &copied
	}
}

// choosing chooses these models for everything.
type choosing struct{ llm.Choice }

func (c choosing) Choose(context.Context, llm.Need) (llm.Choice, error) { return c.Choice, nil }

func candidate(m llm.Model, provider string) llm.Candidate {
	return llm.Candidate{Model: m, Provider: provider, ID: "m"}
}

// fullKit is a kit with everything, without waits.
type fullKit struct {
	Kit
	mu   sync.Mutex
	told []event.Data
}

func newFullKit(t *testing.T, first *onWire, second *onWire) *fullKit {
	t.Helper()
	ledger, err := spend.Open(context.Background(), filepath.Join(t.TempDir(), "cost.db"), spend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	kept, err := spend.OpenCache(context.Background(), filepath.Join(t.TempDir(), "cache.db"), spend.CacheOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	choice := llm.Choice{Primary: candidate(first, "first")}
	if second != nil {
		other := candidate(second, "second")
		choice.Fallback = &other
	}
	d := &fullKit{}
	d.Kit = Kit{
		Chooser: choosing{choice}, Account: spend.Attempt{Tree: "r-1", Run: "r-1"},
		Models: &Models{Ledger: ledger, Cache: kept, Retry: llm.Policy{Sleep: func(context.Context, time.Duration) error { return nil }}},
		Emit: func(e event.Data) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.told = append(d.told, e)
		},
	}
	return d
}

func (d *fullKit) ask(t *testing.T, key string) (llm.Response, error) {
	t.Helper()
	return d.complete(t.Context(), key, step.ModelCall{Name: "a", Request: llm.Request{
		Node: "executor", Attempt: 1, MaxTokens: 20, Messages: []llm.Message{{Role: llm.User, Text: "x"}},
	}})
}

func (d *fullKit) spent(t *testing.T) spend.Total {
	t.Helper()
	total, err := d.Models.Ledger.Spent(t.Context(), "r-1")
	require.NoError(t, err)
	return total
}

// Through everything that stands between a step and an adapter, a call that fails goes on the wire as often as the policy says, to
// each model; each time is a row of the ledger; and what may have been billed is charged.
func TestModels_AttemptsNeverMultiplyThroughEverything(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault         llm.Error
		first, second int64
		charged       int64 // tokens; a call can use 70
	}{
		"turned down": {llm.Error{Kind: llm.KindTransient, Status: 503}, 5, 5, 0},
		"lost":        {llm.Error{Kind: llm.KindTransient}, 5, 5, 10 * 69},
		"cut off":     {llm.Error{Kind: llm.KindTruncated}, 2, 2, 4 * 69},
		"limited":     {llm.Error{Kind: llm.KindRateLimited, Status: 429}, 5, 5, 0},
		"key":         {llm.Error{Kind: llm.KindAuth, Status: 401}, 1, 0, 0},
		"feature":     {llm.Error{Kind: llm.KindUnsupported, Status: 400, Feature: llm.FeatureTemperature}, 2, 0, 0},
		"malformed":   {llm.Error{Kind: llm.KindInvalid}, 1, 0, 69},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := &onWire{name: "first", answer: failing(c.fault)}
			second := &onWire{name: "second", answer: failing(c.fault)}
			d := newFullKit(t, first, second)
			_, err := d.ask(t, "k")
			failed := new(flow.Failure)
			require.ErrorAs(t, err, &failed)
			require.Equal(t, string(c.fault.Kind), failed.Kind)
			require.Equal(t, c.first, first.calls.Load())
			require.Equal(t, c.second, second.calls.Load())
			require.Equal(t, c.charged, d.spent(t).Tokens)
			require.Zero(t, d.spent(t).HeldTokens)
		})
	}
}

func TestModels_AnswerHasItsModelAndCost(t *testing.T) {
	t.Parallel()
	first := &onWire{name: "first", answer: failing(llm.Error{Kind: llm.KindTransient, Status: 503})}
	second := &onWire{name: "second", answer: answering("ok")}
	d := newFullKit(t, first, second)
	d.Models.Retry.Jitter = func() float64 { return 0.9 }
	answer, err := d.ask(t, "k")
	require.NoError(t, err)
	require.Equal(t, "second", answer.Model)
	require.True(t, answer.Cost.Unpriced)
	last, is := d.told[len(d.told)-1].(event.Spent)
	require.True(t, is)
	require.EqualValues(t, 15, last.Tokens)
	require.Equal(t, llm.Usage{Input: 10, Output: 5}, last.Usage)
	waits := 0
	for _, e := range d.told {
		if called, is := e.(event.ModelCalled); is {
			require.Equal(t, "first", called.Model)
			require.Equal(t, called.Again == 0, called.StandIn == "second")
			waits++
		}
	}
	require.Equal(t, 5, waits, "four waits, and that another model is asked")
}

// An answer is reused by every later call that permits it.
func TestModels_AnswersAreKept(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]bool{"kept": true, "not kept": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &onWire{name: "first", answer: answering("ok")}
			d := newFullKit(t, model, nil)
			d.Keep = keep
			for _, key := range []string{"k", "l"} {
				answer, err := d.ask(t, key)
				require.NoError(t, err)
				require.Equal(t, "ok", answer.Text)
				require.Equal(t, keep && key == "l", answer.Cached)
			}
			if keep {
				require.EqualValues(t, 1, model.calls.Load())
				require.EqualValues(t, 15, d.spent(t).Tokens)
				return
			}
			require.EqualValues(t, 2, model.calls.Load())
			require.EqualValues(t, 30, d.spent(t).Tokens)
		})
	}
}

// A repair request wants another answer.
func TestModels_RepairIsNotAnsweredFromTheCache(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]step.ModelCall{
		"a repair":        {Round: 1, Request: llm.Request{Attempt: 1}},
		"another attempt": {Request: llm.Request{Attempt: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &onWire{name: "first", answer: answering("ok")}
			d := newFullKit(t, model, nil)
			d.Keep = true
			for _, c := range []step.ModelCall{{Request: llm.Request{Attempt: 1}}, again, again} {
				c.Request.MaxTokens = 20
				answer, err := d.complete(t.Context(), "k", c)
				require.NoError(t, err)
				require.False(t, answer.Cached)
			}
			require.EqualValues(t, 3, model.calls.Load())
		})
	}
}

// A budget that is used up is a journaled failure, with what the user can do; nothing is sent, and no fallback replaces
// the model.
func TestModels_UsedUpBudget(t *testing.T) {
	t.Parallel()
	first, second := &onWire{name: "first", answer: answering("ok")}, &onWire{name: "second", answer: answering("ok")}
	d := newFullKit(t, first, second)
	require.NoError(t, d.Models.Ledger.Allow(t.Context(), "r-1", spend.Limits{Tokens: 60}))
	_, err := d.ask(t, "k")
	failed := new(flow.Failure)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, step.FailureBudget, failed.Kind)
	require.Contains(t, failed.Message, "forge resume r-1 --tokens")
	require.Zero(t, first.calls.Load()+second.calls.Load())

	require.NoError(t, d.Models.Ledger.Allow(t.Context(), "r-1", spend.Limits{Tokens: 600}))
	_, err = d.ask(t, "k")
	require.NoError(t, err, "the twin: with a higher limit it goes on")
}

// A node's thinking budget reaches the model, and is part of what a call can cost; a request that sets its own is left
// alone.
func TestModels_ThinkingIsRequestedAndCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chosen, said int
		asked        int
	}{
		"none":                {0, 0, 0},
		"by the settings":     {100, 0, 100},
		"by the request":      {0, 30, 30},
		"the request decides": {100, 30, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var thought []int
			model := &onWire{name: "first", answer: func(n int64, q llm.Request) (llm.Response, error) {
				thought = append(thought, q.Thinking)
				return failing(llm.Error{Kind: llm.KindInvalid})(n, q) // what it billed is not known: the most it can be
			}}
			d := newFullKit(t, model, nil)
			d.Chooser = choosing{llm.Choice{Primary: candidate(model, "first"), Thinking: c.chosen}}
			_, err := d.complete(t.Context(), "k", step.ModelCall{Request: llm.Request{
				Node: "planner", Attempt: 1, MaxTokens: 20, Thinking: c.said, Messages: []llm.Message{{Role: llm.User, Text: "x"}},
			}})
			require.Error(t, err)
			require.Equal(t, []int{c.asked}, thought)
			require.EqualValues(t, 69+c.asked, d.spent(t).Tokens)
		})
	}
}

func TestModels_AnswersInOnePiece(t *testing.T) {
	t.Parallel()
	var whole []bool
	model := &onWire{name: "first", answer: func(_ int64, q llm.Request) (llm.Response, error) {
		whole = append(whole, q.Whole)
		return answering("ok")(0, q)
	}}
	d := newFullKit(t, model, nil)
	_, err := d.ask(t, "k")
	require.NoError(t, err)
	one := candidate(model, "first")
	one.Whole = true
	d.Chooser = choosing{llm.Choice{Primary: one}}
	_, err = d.ask(t, "k")
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, whole)
}

// withWindow is a model whose server reports its window.
type withWindow struct{ onWire }

func (*withWindow) Window(context.Context) int { return 70 }

// thinking is a model that thinks unasked.
type thinking struct{ onWire }

func (*thinking) Thinks() bool { return true }

// A model that thinks unasked gets room for it on top of the answer, which is in the bound of the budget, too.
func TestModels_RoomForThoughts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		thinks   bool
		window   int
		asked    int // tokens to think
		most     int
		windowed int
	}{
		"it does not think":     {false, 100_000, 0, 500, 100_000},
		"it thinks":             {true, 100_000, 0, 500 + 8_192, 100_000 - 8_192},
		"in a small window":     {true, 8_000, 0, 500 + 2_000, 6_000},
		"in an unknown window":  {true, 0, 0, 500 + 8_192, 0},
		"it is asked to":        {true, 100_000, 10_000, 500, 100_000 - 8_192},
		"it is asked to little": {true, 100_000, 1_000, 500 + 7_192, 100_000 - 8_192},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent llm.Request
			answer := func(_ int64, q llm.Request) (llm.Response, error) {
				sent = q
				return llm.Response{Text: "ok", Finish: llm.FinishStop, Usage: llm.Usage{Input: 1}}, nil
			}
			var model llm.Model = &onWire{name: "m", answer: answer}
			if c.thinks {
				model = &thinking{onWire{name: "m", answer: answer}}
			}
			kit := newFullKit(t, &onWire{}, nil).Kit
			kit.Chooser = choosing{llm.Choice{Primary: llm.Candidate{Model: model, Window: c.window}, Thinking: c.asked}}
			_, err := kit.complete(t.Context(), "k", step.ModelCall{Request: llm.Request{Node: "a", MaxTokens: 500}})
			require.NoError(t, err)
			require.Equal(t, c.most, sent.MaxTokens)
			windows, err := kit.windows(t.Context(), []string{"a"})
			require.NoError(t, err)
			require.Equal(t, c.windowed, windows["a"])
		})
	}
}

// A request must fit the model that answers it.
func TestModels_WindowsOfNodes(t *testing.T) {
	t.Parallel()
	of := func(primary, fallback int) llm.Choice {
		choice := llm.Choice{Primary: llm.Candidate{Window: primary}}
		if fallback >= 0 {
			choice.Fallback = &llm.Candidate{Window: fallback}
		}
		return choice
	}
	served := func(window int) llm.Choice {
		return llm.Choice{Primary: llm.Candidate{Model: &withWindow{}, Window: window}}
	}
	for name, c := range map[string]struct {
		choice llm.Choice
		want   map[string]int
	}{
		"known":                     {of(100, -1), map[string]int{"a": 100, "b": 100}},
		"unknown":                   {of(0, -1), map[string]int{}},
		"a smaller one stands in":   {of(100, 50), map[string]int{"a": 50, "b": 50}},
		"a larger one stands in":    {of(50, 100), map[string]int{"a": 50, "b": 50}},
		"an unknown one stands in":  {of(50, 0), map[string]int{"a": 50, "b": 50}},
		"one stands in for unknown": {of(0, 50), map[string]int{"a": 50, "b": 50}},
		"the server knows it":       {served(0), map[string]int{"a": 70, "b": 70}},
		"the server has a smaller":  {served(100), map[string]int{"a": 70, "b": 70}},
		"the server has a larger":   {served(50), map[string]int{"a": 50, "b": 50}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			windows, err := Kit{Chooser: choosing{c.choice}}.windows(t.Context(), []string{"a", "b"})
			require.NoError(t, err)
			require.Equal(t, c.want, windows)
		})
	}
}

// Notices of the choice reach the user, and that there is no model is said in its words.
func TestModels_ChooserErrors(t *testing.T) {
	t.Parallel()
	var told []string
	model := &onWire{name: "first", answer: answering("ok")}
	d := newFullKit(t, model, nil)
	d.Notice = func(text string) { told = append(told, text) }
	d.Chooser = choosing{llm.Choice{Primary: candidate(model, "first"), Notices: []string{"it stands in"}}}
	_, err := d.ask(t, "k")
	require.NoError(t, err)
	require.Equal(t, []string{"it stands in"}, told)

	d.Chooser = llm.OnlyFrom(func(context.Context) (llm.Model, error) { return nil, errors.New("set a key") })
	_, err = d.ask(t, "k")
	failed := new(flow.Failure)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, step.FailureNoModel, failed.Kind)
	require.Equal(t, "set a key", failed.Message)
}

// Without what all calls share, a call is made once.
func TestModels_CallWithoutAnythingAroundIt(t *testing.T) {
	t.Parallel()
	model := &onWire{name: "first", answer: failing(llm.Error{Kind: llm.KindTransient})}
	_, err := Kit{Chooser: llm.Only(model)}.complete(t.Context(), "k", step.ModelCall{})
	require.Error(t, err)
	require.EqualValues(t, 1, model.calls.Load())
}

// 32 branches with everything around them spend what there is, and no more.
func TestModels_BranchesStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	storm := func(limits spend.Limits) (billed int64) {
		model := &onWire{name: "first", answer: answering("ok")}
		d := newFullKit(t, model, nil)
		require.NoError(t, d.Models.Ledger.Allow(t.Context(), "r-1", limits))
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() { _, _ = d.ask(t, "k") })
		}
		all.Wait()
		return 15 * model.calls.Load()
	}
	billed := storm(spend.Limits{Tokens: 300})
	require.LessOrEqual(t, billed, int64(300))
	require.GreaterOrEqual(t, billed, int64(200), "what there is, is spent")
	require.EqualValues(t, 15*32, storm(spend.Limits{}), "the twin: it is the limit that holds them back")
}
