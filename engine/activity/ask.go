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

// ask puts a question to the user. That it is open is reported here and not by the code of the run: a question
// that was answered in an earlier execution is not opened again.
func (k Kit) ask(ctx context.Context, q event.Question) (event.Answer, error) {
	k.Emit(event.Asked{Question: q})
	failpoint.Hit(FailpointQuestionAsked)
	answer, err := k.Asker.Ask(ctx, q)
	if errors.Is(err, event.ErrNoAnswer) {
		return answer, &flow.Failure{Kind: step.FailureNoAnswer, Message: err.Error()}
	}
	if err != nil {
		return answer, fmt.Errorf("the question could not be asked: %w", err)
	}
	return answer, nil
}
