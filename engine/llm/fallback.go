package llm

import "context"

// Fallback makes a model of two: the second one is asked a whole new call when the first could not be helped, once. That
// is when it did not answer (KindTransient, KindUnavailable), had no turn in time (KindRateLimited), or was cut off
// (KindTruncated), whatever was tried before. What only the user can mend is not hidden behind another model: a key that
// is not taken, a request that is malformed or too large, a limit of money (docs/adr/0026).
//
// Two answers are never spliced: if something of the first was shown, onDelta sees Restart before the second begins.
// Notify, if not nil, is told why.
func Fallback(first, second Model, notify func(cause *Error)) Model {
	return &falling{first: first, second: second, notify: notify}
}

type falling struct {
	first, second Model
	notify        func(*Error)
}

// Name is the name of the first model. An answer names its own.
func (f *falling) Name() string { return f.first.Name() }

// Complete asks the first model, and the second where that did not help.
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
