package work

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/permission"
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
		reason = "nobody answered the question; run again when you have a moment"
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
	return fmt.Errorf("%q is %q, which is none of %q", field, value, allowed)
}

// Budget is what a module may use, and has used.
type Budget struct {
	run *Run
	job *Job

	Most    int // limit of exchanges with models; see Count
	Tools   int // limit of tool calls
	Steps   int // exchanges with models so far
	Calls   int // tool calls so far
	Network int // those of them that left the machine

	made    map[string]int // tool calls, by the call and the state of the tree that it was made on
	repeats int            // of the last one
}

// Repeat counts a tool call, and returns how often the same was made before with nothing changed since.
func (b *Budget) Repeat(now *Attempt, call string) int {
	if b.made == nil {
		b.made = map[string]int{}
	}
	key := fmt.Sprintf("%d/%d/%s", now.Number, len(now.Tree.Changes), call)
	b.repeats = b.made[key]
	b.made[key]++
	return b.repeats
}

// InCircle reports whether the last tool call was one too many of the same.
func (b *Budget) InCircle() bool { return b.repeats >= permission.Circle-1 }

// Count counts an exchange with a model before it is made. At the limit the user must resume the run: each retry may have as
// many again.
func (b *Budget) Count() step.Outcome {
	most := b.Most * (1 + len(b.run.Retries))
	if b.Steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s. Resume the run, and it may have as many again", b.spent(most))}
	}
	b.Steps++
	return step.Outcome{}
}

// spent returns the message for used-up exchanges.
func (b *Budget) spent(most int) string {
	if len(b.run.Parts) == 0 {
		return fmt.Sprintf("the run has had all %d exchanges with models that it may have (limits.steps)", most)
	}
	who := "the whole of the plan"
	if b.job.ID != "" {
		who = b.job.ID
	}
	return fmt.Sprintf("%s has had all of its share of exchanges with models, %d (limits.steps, divided among the parts)", who, most)
}
