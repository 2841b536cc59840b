package activity

import (
	"context"

	"forge/engine/batch"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
)

// patient is a cheaper model that answers within a day.
type patient struct {
	llm.Model // the wrapped model; provides the name
	candidate llm.Candidate
	desk      func() (*batch.Desk, error)
	asking    asking
}

// Complete waits for the answer. The time limit of the run is suspended meanwhile.
func (p patient) Complete(ctx context.Context, q llm.Request, _ func(string)) (llm.Response, error) {
	desk, err := p.desk()
	if err != nil {
		return llm.Response{}, &flow.UnableError{Cause: err}
	}
	if p.asking.idle != nil {
		defer p.asking.idle()()
	}
	waiter := batch.Waiter{Run: p.asking.account.Run, Tell: func(w batch.Waiting) {
		if p.asking.waits != nil {
			p.asking.waits(p.Name(), w)
		}
	}}
	return desk.Model(p.candidate, waiter).Complete(ctx, q, nil)
}

// reportWaiting reports what a call waits for.
func (k Kit) reportWaiting(model string, w batch.Waiting) {
	k.Emit(event.BatchWaiting{
		Node: w.Node, Attempt: w.Attempt, Model: model, Provider: w.Provider, Batch: w.ID, State: string(w.State), Items: w.Items,
		Since: w.Since, Trouble: w.Trouble,
	})
}
