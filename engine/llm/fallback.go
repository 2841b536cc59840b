package llm

import "context"

// Fallback combines two models: if the first one fails, the second one gets the whole call, once. That applies to
// KindTransient, KindUnavailable, KindRateLimited and KindTruncated, after all retries. Failures that only the user can
// fix are not hidden: a rejected key, a malformed or too large request, an exhausted budget (docs/adr/0026).
//
// Two answers are never mixed: if a part of the first was shown, onDelta gets Restart before the second begins. Notify,
// if not nil, gets the cause.
func Fallback(first, second Model, notify func(cause *Error)) Model {
	return &falling{first: first, second: second, notify: notify}
}

type falling struct {
	first, second Model
	notify        func(*Error)
}

// Name returns the name of the first model. An answer contains its own model's name.
func (f *falling) Name() string { return f.first.Name() }

// Complete calls the first model, and the second one if it fails.
func (f *falling) Complete(ctx context.Context, q Request, onDelta func(string)) (Response, error) {
	shown, pass := watch(onDelta)
	response, err := f.first.Complete(ctx, q, pass)
	failure := failureOf(err)
	if failure == nil || !failure.retryable() || ctx.Err() != nil {
		return response, err
	}
	if f.notify != nil {
		f.notify(failure)
	}
	if *shown {
		onDelta(Restart)
	}
	return f.second.Complete(ctx, q, onDelta)
}
