package activity

import (
	"context"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/llm"
)

// Warmth knows which models a run has had loaded, or has tried to. It lives as long as one execution of a run: what it forgets
// with the process is asked for again, and nothing depends on it. The zero value knows of none.
type Warmth struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

// first reports whether a model is asked for the first time.
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

// look is how long a server of this machine may take to say whether a model is loaded.
const look = 5 * time.Second

// warm has a model that a server of this machine must load first loaded before the first call of it in a run, and tells of
// it. Whatever comes of that, the call is made: only the call says what is wrong with a model.
//
// It stands outside of spend.Wall: nothing of it is bought.
type warm struct {
	llm.Model
	warmer llm.Warmer
	warmth *Warmth
	// loading is told that the wait begins, and gives who is told that it is over.
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

// isLoaded reports whether there is nothing to wait for. A server that does not say is not waited for either.
func (w warm) isLoaded(ctx context.Context, q llm.Request) bool {
	ctx, cancel := context.WithTimeout(ctx, look)
	defer cancel()
	is, err := w.warmer.Loaded(ctx, q)
	return is || err != nil
}

// reportLoading reports that a call waits until its model is loaded, and then what came of it.
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
