package spend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/spend"
)

// provider is a model whose answers the test sets.
type provider struct {
	calls  int
	answer func(ctx context.Context) (llm.Response, error)
}

func (p *provider) Name() string { return "provider" }

func (p *provider) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	p.calls++
	return p.answer(ctx)
}

func account(l *spend.Ledger) spend.Account {
	return spend.Account{
		Ledger: l, Attempt: spend.Attempt{Tree: "r-1", Run: "r-1", Provider: "p", Model: "m"},
		Tariff: spend.Tariff{Price: spend.Price{Input: 1_000_000, Output: 2_000_000}, Known: true},
	}
}

// request can use 100 tokens and cost 100 + 40 millionths of a dollar at the prices of account.
var request = llm.Request{Node: "n", Attempt: 2, Key: "k", MaxTokens: 20, Messages: []llm.Message{{Text: "0123456789012345678901234567890\x00"}}}

// A call that the provider may have billed is charged; a rejected one is not.
func TestWall_ChargesAFailedCall(t *testing.T) {
	t.Parallel()
	failing := func(e llm.Error) func(context.Context) (llm.Response, error) {
		e.Err = errors.New("no luck")
		return func(context.Context) (llm.Response, error) { return llm.Response{}, &e }
	}
	for name, c := range map[string]struct {
		answer func(context.Context) (llm.Response, error)
		tokens int64
		money  int64
	}{
		"answered": {func(context.Context) (llm.Response, error) {
			return llm.Response{Usage: llm.Usage{Input: 10, Output: 5, CacheRead: 1}}, nil
		}, 16, 20},
		"answered without a count": {func(context.Context) (llm.Response, error) { return llm.Response{Text: "a"}, nil }, 100, 120},
		"too long": {func(context.Context) (llm.Response, error) {
			return llm.Response{Usage: llm.Usage{Output: 20}, Finish: llm.FinishLength}, &llm.Error{Kind: llm.KindLength, Err: errors.New("cut")}
		}, 20, 40},
		"cut off after a count": {func(context.Context) (llm.Response, error) {
			return llm.Response{Usage: llm.Usage{Input: 10, Output: 1}}, &llm.Error{Kind: llm.KindTruncated, Err: errors.New("cut")}
		}, 100, 120},
		"cut off":                {failing(llm.Error{Kind: llm.KindTruncated}), 100, 120},
		"lost before the answer": {failing(llm.Error{Kind: llm.KindTransient}), 100, 120},
		"an answer that is none": {failing(llm.Error{Kind: llm.KindInvalid}), 100, 120},
		"a bug":                  {func(context.Context) (llm.Response, error) { return llm.Response{}, errors.New("a bug") }, 100, 120},
		"never arrived":          {failing(llm.Error{Kind: llm.KindTransient, Unsent: true}), 0, 0},
		"status 500":             {failing(llm.Error{Kind: llm.KindTransient, Status: 500}), 0, 0},
		"status 400":             {failing(llm.Error{Kind: llm.KindInvalid, Status: 400}), 0, 0},
		"status 429":             {failing(llm.Error{Kind: llm.KindRateLimited, Status: 429}), 0, 0},
		"no turn":                {failing(llm.Error{Kind: llm.KindRateLimited}), 0, 0},
		"not asked":              {failing(llm.Error{Kind: llm.KindUnavailable}), 0, 0},
		"key":                    {failing(llm.Error{Kind: llm.KindAuth}), 0, 0},
		"feature":                {failing(llm.Error{Kind: llm.KindUnsupported}), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			told := 0
			a := account(l)
			a.OnSettled = func() { told++ }
			answer, err := spend.Wall(&provider{answer: c.answer}, a).Complete(t.Context(), request, nil)
			total := spent(t, l)
			require.Equal(t, c.tokens, total.Tokens)
			require.Equal(t, c.money, total.Cost.MicroUSD)
			require.Zero(t, total.HeldTokens)
			require.Equal(t, 1, told)
			if err == nil && answer.Usage != (llm.Usage{}) {
				require.Equal(t, c.money, answer.Cost.MicroUSD)
			}
		})
	}
}

func TestWall_ACallThatIsBrokenOffIsHeld(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	ctx, cancel := context.WithCancel(t.Context())
	leaving := &provider{answer: func(context.Context) (llm.Response, error) {
		cancel()
		return llm.Response{Usage: llm.Usage{Input: 10, Output: 1}}, context.Canceled
	}}
	_, err := spend.Wall(leaving, account(l)).Complete(ctx, request, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 100, spent(t, l).HeldTokens)
	require.Zero(t, spent(t, l).Tokens)

	require.Panics(t, func() {
		_, _ = spend.Wall(&provider{answer: func(context.Context) (llm.Response, error) { panic("a bug") }}, account(l)).
			Complete(t.Context(), request, nil)
	})
	require.EqualValues(t, 100, spent(t, l).Tokens, "a panic is settled, too")
}

// A call that could exceed a limit is not sent.
func TestWall_IsCheckedBeforeTheModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits spend.Limits
		tariff spend.Tariff
		sent   bool
	}{
		"tokens":                     {spend.Limits{Tokens: 99}, account(nil).Tariff, false},
		"tokens that are enough":     {spend.Limits{Tokens: 100}, account(nil).Tariff, true},
		"money":                      {spend.Limits{MicroUSD: 119}, account(nil).Tariff, false},
		"money that is enough":       {spend.Limits{MicroUSD: 120}, account(nil).Tariff, true},
		"an unknown price is dear":   {spend.Limits{MicroUSD: 2000}, prices(t, "").Of(llm.Candidate{ID: "x"}), false},
		"and no matter without one":  {spend.Limits{Tokens: 100}, prices(t, "").Of(llm.Candidate{ID: "x"}), true},
		"local models cost no money": {spend.Limits{MicroUSD: 1}, spend.Tariff{Free: true, Known: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			require.NoError(t, l.Allow(t.Context(), "r-1", c.limits))
			model := &provider{answer: func(context.Context) (llm.Response, error) {
				return llm.Response{Usage: llm.Usage{Input: 1}}, nil
			}}
			a := account(l)
			a.Tariff = c.tariff
			wall := spend.Wall(model, a)
			_, err := wall.Complete(t.Context(), request, nil)
			require.Equal(t, "provider", wall.Name())
			if c.sent {
				require.NoError(t, err)
				return
			}
			var failure *llm.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, llm.KindBudget, failure.Kind)
			require.ErrorAs(t, err, new(*spend.ExhaustedError))
			require.Zero(t, model.calls)
			require.Equal(t, spend.Total{}, spent(t, l))
		})
	}
}
