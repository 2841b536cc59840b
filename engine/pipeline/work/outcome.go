package work

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/step"
)

// Outcome converts a step's signal to a node's outcome; lane is where a retryable fault leads.
func Outcome(o step.Outcome, lane graph.EdgeType) graph.Outcome {
	reason := o.Reason
	switch {
	case o.Signal != step.Retryable:
		lane = graph.Normal
	case lane == graph.Normal: // nothing retries by itself
		reason += ". Run again, or choose another model"
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason, Lane: lane}
}

// Stopped returns why a context has ended.
func Stopped(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "cancelled"
}

// Unable returns the outcome of a step that could not be performed.
func Unable(ctx context.Context, err error) step.Outcome {
	if ctx.Err() != nil {
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	}
	return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
}

// Unanswered returns the outcome of a node whose question has no answer: without one nothing is done.
func Unanswered(ctx context.Context, err error) graph.Outcome {
	reason := err.Error()
	var failed *flow.Failure
	if errors.As(err, &failed) && failed.Kind == step.FailureNoAnswer || ctx.Err() != nil {
		reason = "the question was not answered; run again to answer it"
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason}
}

// NoAnswer returns the outcome of a question without an answer.
func NoAnswer(ctx context.Context, err error) step.Outcome {
	return step.Outcome{Signal: step.NeedsHuman, Reason: Unanswered(ctx, err).Reason}
}

// Failed returns the outcome of a node whose operation failed.
func Failed(doing string, err error) graph.Outcome {
	return graph.Outcome{Status: graph.Failed, Reason: fmt.Sprintf("%s: %v", doing, err)}
}

// BlockedBy returns the outcome of an operation that failed, and that the user can have repeated.
func BlockedBy(doing string, err error) graph.Outcome {
	return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s: %v", doing, err)}
}

// AsFailure reports whether an error is an activity's own, and not one of journaling it.
func AsFailure(err error) (*flow.Failure, bool) {
	var f *flow.Failure
	return f, errors.As(err, &f)
}

// Again returns the name of a step when it is repeated for the time-th time.
func Again(step string, time int) string {
	if time == 0 {
		return step
	}
	return fmt.Sprintf("%s/again %d", step, time)
}

// Decide performs a step that nothing retries by itself, and that the user may have had retried.
func Decide[T any](ctx context.Context, b *Budget, n graph.Node, s step.Step[T]) (T, step.Outcome) {
	key := s.Key
	for time := 0; ; time++ {
		s.Place, s.Key = At(n), Again(key, time)
		if o := b.Count(); o.Signal != step.Success {
			var none T
			return none, o
		}
		value, o := step.Do(ctx, b.run.Env.Env, s)
		if o.Signal != step.Retryable || time >= b.run.Retried(n) {
			return value, o
		}
	}
}

// OneOf checks a field of a model's answer.
func OneOf(field, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%q is %q: want one of %q", field, value, allowed)
}
