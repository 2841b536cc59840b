package activity

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/step"
	"forge/internal/failpoint"
)

// ask asks the user a question. It reports the open question itself, instead of the run's code: a question
// that an earlier execution answered is not opened again.
func (k Kit) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	k.Emit(event.Asked{Question: q})
	failpoint.Hit(FailpointQuestionAsked)
	answer, err := k.Asker.Ask(ctx, q)
	if errors.Is(err, event.ErrNoAnswer) {
		return answer, &flow.Failure{Kind: step.FailureNoAnswer, Message: err.Error()}
	}
	if err != nil {
		return answer, fmt.Errorf("ask the user: %w", err)
	}
	answer.At = k.now()
	return answer, nil
}
