package activity

import (
	"context"
	"errors"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/step"
	"forge/internal/failpoint"
)

// complete calls the model, within the budget and again as the policy says. Made again after a crash, the call
// has the same key: a provider that heeds it gives the answer that nobody could keep. An answer that ended because it
// is too long is an answer: who asked has it repaired.
func (k Kit) complete(ctx context.Context, key string, c step.ModelCall) (llm.Response, error) {
	model, err := k.Model(ctx)
	if err != nil {
		return llm.Response{}, &flow.Failure{Kind: step.FailureNoModel, Message: err.Error()}
	}
	if err := k.Budget.reserve(c, most(c)); err != nil {
		return llm.Response{}, &flow.Failure{Kind: step.FailureBudget, Message: err.Error()}
	}
	failpoint.Hit(FailpointModelSending)
	c.Request.Key = key
	answer, err := k.patient(model, c).Complete(ctx, c.Request, nil)
	if kind := kindOf(err); kind == llm.KindLength {
		answer.Finish, err = llm.FinishLength, nil
	} else if kind != "" {
		return llm.Response{}, &flow.Failure{Kind: string(kind), Message: err.Error()}
	}
	if err != nil {
		return llm.Response{}, err
	}
	answer.Model = model.Name()
	return answer, nil
}

// patient is the model, asked again as the policy says. Each wait is an event: a person is not left in
// front of a silent screen.
func (k Kit) patient(model llm.Model, c step.ModelCall) llm.Model {
	if k.Retry == nil {
		return model
	}
	policy := *k.Retry
	policy.Notify = func(_ int, cause *llm.Error, wait time.Duration) {
		k.Tell(event.ModelCalled{
			Node: c.Request.Node, Attempt: c.Request.Attempt, Round: c.Round, Model: model.Name(), Failure: cause.Error(), Again: wait,
		})
	}
	return llm.Retry(model, policy)
}

func kindOf(err error) llm.Kind {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.Kind
	}
	return ""
}
