package activity

import (
	"context"
	"time"

	"forge/engine/batch"
	"forge/engine/llm"
	"forge/engine/spend"
)

// Models is what all calls of a process share. Without one, each call is made once and counted nowhere.
type Models struct {
	Breakers llm.Breakers
	Limits   llm.Limits
	Learned  llm.Learned
	Ledger   *spend.Ledger // nil counts nothing
	Prices   spend.Prices
	Cache    *spend.Cache // nil keeps no answers
	Retry    llm.Policy
	// Desk gives what may wait a day to providers by batch; nil asks everything at once.
	Desk func() (*batch.Desk, error)
}

// asking is one call, with what is told of it.
type asking struct {
	choice  llm.Choice
	account spend.Attempt // whose call it is; its model is added
	keep    bool          // answers
	// failed is told of each attempt that did not help, with the wait before the next one, or with the model that is
	// asked instead.
	failed func(model string, cause *llm.Error, wait time.Duration, standIn string)
	spent  func() // is told when an attempt was settled
	waits  func(model string, w batch.Waiting)
	idle   func() (over func()) // is told when nothing is done but waiting for a batch; may be nil

	warmth  *Warmth // nil loads nothing beforehand
	loading func(model string) (loaded func(err error))
}

// warmed is a model of this machine that is loaded before its first call; any other one is left as it is.
func (a asking) warmed(c llm.Candidate, model llm.Model) llm.Model {
	warmer, can := c.Model.(llm.Warmer)
	if !can || !c.Local || c.Batch != nil || a.warmth == nil {
		return model
	}
	return warm{Model: model, warmer: warmer, warmth: a.warmth, loading: a.loading}
}

// around puts everything between a step and the models that were chosen for it: see the comment of package llm.
func (m *Models) around(a asking) llm.Model {
	if m == nil {
		return llm.Retry(adapter(a.choice.Primary), llm.Policy{Attempts: 1})
	}
	if a.choice.Fallback == nil {
		return m.one(a, a.choice.Primary, false)
	}
	return llm.Fallback(m.one(a, a.choice.Primary, true), m.one(a, *a.choice.Fallback, false),
		func(cause *llm.Error) {
			a.failed(a.choice.Primary.Model.Name(), cause, 0, a.choice.Fallback.Model.Name())
		})
}

// one is a model with all that is around it; standIn says that another one stands in for it.
func (m *Models) one(a asking, c llm.Candidate, standIn bool) llm.Model {
	byBatch := c.Batch != nil && m.Desk != nil
	model := adapter(c)
	if byBatch {
		model = patient{Model: c.Model, candidate: c, desk: m.Desk, asking: a}
	}
	model = m.Learned.Degrade(c.Provider, c.ID, model)
	if !byBatch { // many requests are one call of the provider, which may take a day: it is no probe of a breaker
		model = m.Limits.Limit(c.Provider, c.Rate, model)
		model = m.Breakers.Breaker(c.Provider, c.ID, model)
	}
	if m.Ledger != nil {
		account := a.account
		account.Provider, account.Model, account.Batch = c.Provider, c.ID, byBatch
		model = spend.Wall(model, spend.Account{
			Ledger: m.Ledger, Attempt: account, Tariff: m.Prices.Of(c), Window: c.Window, Told: a.spent,
		})
	}
	policy := m.Retry
	policy.StandIn = standIn
	policy.Notify = func(_ int, cause *llm.Error, wait time.Duration) { a.failed(c.Model.Name(), cause, wait, "") }
	model = a.warmed(c, llm.Retry(model, policy))
	if m.Cache != nil && a.keep {
		model = m.Cache.Around(c, model)
	}
	return model
}

// adapter is the adapter of a candidate, asked as its settings want it.
func adapter(c llm.Candidate) llm.Model {
	if c.Whole {
		return whole{c.Model}
	}
	return c.Model
}

// whole is a model that is asked for answers in one piece.
type whole struct{ llm.Model }

// Complete asks the model.
func (w whole) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	q.Whole = true
	return w.Model.Complete(ctx, q, onDelta)
}
