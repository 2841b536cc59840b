package activity

import (
	"context"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/llm"
)

// Warmth records the models that a run has loaded, or tried to. It lives as long as one execution of a run: a later process
// may load them again. The zero value has none.
type Warmth struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

// first reports whether a model is called for the first time.
func (w *Warmth) first(model string) bool {
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
	warmth *Warmth
	// loading is called when the wait begins, and its result when the wait is over.
	loading func(model string) (loaded func(err error))
}

// Complete asks the model.
func (w warm) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	if w.warmth.first(w.Name()) && !w.isLoaded(ctx, q) && ctx.Err() == nil {
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
