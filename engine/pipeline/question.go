package pipeline

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/step"
)

// questions puts questions to the user.
type questions struct {
	run   *run
	job   *job
	asked int // questions so far
}

// ask puts a question to the person, and tells that it is closed. Whoever asks tells that it is open.
func (qs *questions) ask(ctx context.Context, n graph.Node, q ask.Question) (ask.Answer, error) {
	qs.asked++
	q.ID, q.RunID = qs.job.node(fmt.Sprintf("q%d", qs.asked)), qs.run.Flow.RunID()
	answer, err := step.Wait[ask.Answer](ctx, qs.run.Flow, at(n), "question/"+q.ID, step.ActivityAsk, q)
	qs.run.Tell(event.Answered{QuestionID: q.ID, Choice: answer.Choice, Text: answer.Text})
	return answer, err
}

// unanswered is the outcome of a node whose question has no answer: nothing was said, so nothing is
// done.
func unanswered(ctx context.Context, err error) graph.Outcome {
	reason := err.Error()
	var failed *flow.Failure
	if errors.As(err, &failed) && failed.Kind == step.FailureNoAnswer || ctx.Err() != nil {
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
