package activity

import (
	"context"
	"sync"
	"time"

	"forge/engine/batch"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/spend"
)

// Models is shared by all calls of a process. Without it, each call is made once and not counted.
type Models struct {
	Breakers llm.Breakers
	Limits   llm.Limits
	Learned  llm.Learned
	Ledger   *spend.Ledger // nil counts nothing
	Prices   spend.Prices
	Cache    *spend.Cache // nil keeps no answers
	Retry    llm.Policy
	// Queue returns the queue that batches requests which may wait a day; nil asks everything at once.
	Queue func() (*batch.Queue, error)
}

// asking is one call, with its callbacks.
type asking struct {
	choice  llm.Choice
	account spend.Attempt // the account of the call; its model is added
	keep    bool          // keep answers
	// failed receives each failed attempt, with the wait before the next one, or with the model that is asked instead.
	failed func(model string, cause *llm.Error, wait time.Duration, standIn string)
	spent  func() // called when an attempt was settled
	waits  func(model string, w batch.Waiting)
	idle   func() (over func()) // called when only a batch is waited for; may be nil

	loaded  *LoadedModels // nil preloads nothing
	loading func(model string) (loaded func(err error))
}

// warmed wraps a model of this machine that is loaded before its first call; other models are returned as they are.
func (a asking) warmed(c llm.Candidate, model llm.Model) llm.Model {
	warmer, can := c.Model.(llm.Warmer)
	if !can || !c.Local || c.Batch != nil || a.loaded == nil {
		return model
	}
	return warm{Model: model, warmer: warmer, loaded: a.loaded, loading: a.loading}
}

// around wraps the chosen models in all layers between them and a step: see the comment of package llm.
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

// one wraps a model in its layers; standIn means that it replaces another one.
func (m *Models) one(a asking, c llm.Candidate, standIn bool) llm.Model {
	byBatch := c.Batch != nil && m.Queue != nil
	model := adapter(c)
	if byBatch {
		model = patient{Model: c.Model, candidate: c, queue: m.Queue, asking: a}
	}
	model = m.Learned.Degrade(c.Provider, c.ID, model)
	if !byBatch { // a batch is one call that may take a day, so it is no probe for a breaker
		model = m.Limits.Limit(c.Provider, c.Rate, model)
		model = m.Breakers.Breaker(c.Provider, c.ID, model)
	}
	if m.Ledger != nil {
		account := a.account
		account.Provider, account.Model, account.Batch = c.Provider, c.ID, byBatch
		model = spend.Wall(model, spend.Account{
			Ledger: m.Ledger, Attempt: account, Tariff: m.Prices.Of(c), Window: c.Window, OnSettled: a.spent,
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

// adapter returns the adapter of a candidate, with the candidate's settings.
func adapter(c llm.Candidate) llm.Model {
	if c.Whole {
		return whole{c.Model}
	}
	return c.Model
}

// whole is a model that returns answers in one piece.
type whole struct{ llm.Model }

// Complete asks the model.
func (w whole) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	q.Whole = true
	return w.Model.Complete(ctx, q, onDelta)
}

// patient is a cheaper model that answers within a day.
type patient struct {
	llm.Model // the wrapped model; provides the name
	candidate llm.Candidate
	queue     func() (*batch.Queue, error)
	asking    asking
}

// Complete waits for the answer. The time limit of the run is suspended meanwhile.
func (p patient) Complete(ctx context.Context, q llm.Request, _ func(string)) (llm.Response, error) {
	queue, err := p.queue()
	if err != nil {
		return llm.Response{}, &flow.UnableError{Cause: err}
	}
	if p.asking.idle != nil {
		defer p.asking.idle()()
	}
	waiter := batch.Waiter{Run: p.asking.account.Run, Tell: func(w batch.Waiting) {
		if p.asking.waits != nil {
			p.asking.waits(p.Name(), w)
		}
	}}
	return queue.Model(p.candidate, waiter).Complete(ctx, q, nil)
}

// reportWaiting reports what a call waits for.
func (k Kit) reportWaiting(model string, w batch.Waiting) {
	k.Emit(event.BatchWaiting{
		Node: w.Node, Attempt: w.Attempt, Model: model, Provider: w.Provider, Batch: w.ID, State: string(w.State), Items: w.Items,
		Since: w.Since, Trouble: w.Trouble,
	})
}

// LoadedModels records the models that a run has loaded, or tried to. It lives as long as one execution of a run: a later process
// may load them again. The zero value has none.
type LoadedModels struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

// first reports whether a model is called for the first time.
func (w *LoadedModels) first(model string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[model] {
		return false
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[model] = true
	return true
}

// look is the time limit for a server of this machine to report whether a model is loaded.
const look = 5 * time.Second

// warm loads a model of this machine before its first call in a run, and reports that. The call is made in any case: only
// the call shows a model's fault.
//
// It is outside of spend.Wall: loading costs nothing.
type warm struct {
	llm.Model
	warmer llm.Warmer
	loaded *LoadedModels
	// loading is called when the wait begins, and its result when the wait is over.
	loading func(model string) (loaded func(err error))
}

// Complete asks the model.
func (w warm) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	if w.loaded.first(w.Name()) && !w.isLoaded(ctx, q) && ctx.Err() == nil {
		loaded := w.loading(w.Name())
		loaded(w.warmer.Warm(ctx, q))
	}
	if ctx.Err() != nil {
		return llm.Response{}, ctx.Err()
	}
	return w.Model.Complete(ctx, q, onDelta)
}

// isLoaded reports whether there is nothing to wait for. It is true if the server does not report its state.
func (w warm) isLoaded(ctx context.Context, q llm.Request) bool {
	ctx, cancel := context.WithTimeout(ctx, look)
	defer cancel()
	is, err := w.warmer.Loaded(ctx, q)
	return is || err != nil
}

// reportLoading reports that a call waits until its model is loaded, and then the result.
func (k Kit) reportLoading(node string, attempt int) func(model string) func(error) {
	return func(model string) func(error) {
		now := k.Now
		if now == nil {
			now = time.Now
		}
		began := now()
		k.Emit(event.ModelWarming{Node: node, Attempt: attempt, Model: model})
		return func(err error) {
			warmed := event.ModelWarmed{Node: node, Attempt: attempt, Model: model, Elapsed: now().Sub(began)}
			if err != nil {
				warmed.Failure = err.Error()
			}
			k.Emit(warmed)
		}
	}
}
