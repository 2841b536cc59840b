package pipeline

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/graph"
)

// ask puts a question to the person, and tells that it is open and that it is closed.
func (r *run) ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	r.asked++
	q.ID, q.RunID = fmt.Sprintf("q%d", r.asked), r.RunID
	r.Log.Append(event.Asked{Question: q})
	answer, err := r.Asker.Ask(ctx, q)
	r.Log.Append(event.Answered{QuestionID: q.ID, Choice: answer.Choice})
	return answer, err
}

// unanswered is the outcome of a node whose question has no answer: nothing was said, so nothing is
// done.
func unanswered(ctx context.Context, err error) graph.Outcome {
	reason := fmt.Sprintf("the question could not be asked: %v", err)
	if errors.Is(err, ask.ErrNoAnswer) || ctx.Err() != nil {
		reason = "nobody answered the question; run again when you have a moment"
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason}
}

func failed(doing string, err error) graph.Outcome {
	return graph.Outcome{Status: graph.Failed, Reason: fmt.Sprintf("%s: %v", doing, err)}
}

// oneOf checks a field of a model's answer.
func oneOf(field, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%q is %q, which is none of %q", field, value, allowed)
}
