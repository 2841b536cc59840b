package spend

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/llm"
)

// Account bills the calls of one model to a run, at the model's price.
type Account struct {
	Ledger *Ledger
	Attempt
	Tariff Tariff
	Window int // tokens of a request and its answer; 0 is unknown
	// OnSettled is called when an attempt was settled; it may be nil.
	OnSettled func()
}

// Wall makes a model that is asked only if that cannot go past the limits of the account's run: KindBudget otherwise, with an
// *ExhaustedError. Each attempt is a row of the ledger, and an answer says what it cost (Response.Cost). Node, Attempt
// and Key are taken from the request.
//
// An attempt that failed is charged by what the provider may have billed: nothing where it was turned down (a status of 400
// and above, a limit, a model that was not asked), the most it can cost where an answer was cut off, or it is unknown how
// far it came.
func Wall(m llm.Model, a Account) llm.Model { return &wall{model: m, account: a} }

type wall struct {
	model   llm.Model
	account Account
}

// Name is the name of the model behind it.
func (w *wall) Name() string { return w.model.Name() }

// Complete asks the model, if there is enough left for it.
func (w *wall) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (response llm.Response, err error) {
	a := w.account
	a.Node, a.Attempt.Attempt, a.Key = q.Node, q.Attempt, q.Key
	id, err := a.Ledger.Reserve(ctx, a.Attempt, a.most(q))
	if exhausted := (*ExhaustedError)(nil); errors.As(err, &exhausted) {
		return llm.Response{}, &llm.Error{Kind: llm.KindBudget, Model: w.Name(), Err: exhausted}
	}
	if err != nil {
		return llm.Response{}, err
	}
	settled := func() {
		ending := endingOf(ctx, response, err)
		if ending == Answered {
			response.Cost = a.Tariff.Cost(response.Usage, a.Batch)
		}
		if err := a.Ledger.Settle(ctx, a.Attempt, id, ending, response.Usage, response.Cost); err != nil {
			a.Ledger.note(fmt.Sprintf("%v; it stays charged at the most it can have cost", err))
		}
		if a.OnSettled != nil {
			a.OnSettled()
		}
	}
	defer settled() // also after a panic
	err = errPanicked
	response, err = w.model.Complete(ctx, q, onDelta)
	return response, err
}

var errPanicked = errors.New("the call ended in a panic")

// most is the most that a call can cost.
func (a Account) most(q llm.Request) Amount {
	bound := Most(q, a.Window)
	return Amount{Tokens: bound.Tokens(), MicroUSD: a.Tariff.most(bound, a.Batch), Unpriced: !a.Tariff.Known}
}

// endingOf classifies the end of an attempt. The usage that the provider reports counts if the answer has ended: until then
// it is a partial count, with which some streams begin. Nothing is assumed to be free.
func endingOf(ctx context.Context, response llm.Response, err error) Ending {
	var failure *llm.Error
	switch {
	case tokens(response.Usage) > 0 && (err == nil || response.Finish != ""):
		return Answered
	case err == nil:
		return Lost // it does not report what it billed
	case ctx.Err() != nil:
		return BrokenOff
	case errors.As(err, &failure) && turnedDown(failure):
		return Free
	}
	return Lost
}

// turnedDown reports whether a call failed before the provider did any work for it.
func turnedDown(failure *llm.Error) bool {
	if failure.Status >= 400 || failure.Unsent {
		return true
	}
	switch failure.Kind {
	case llm.KindRateLimited, llm.KindUnavailable, llm.KindBudget, llm.KindAuth, llm.KindUnsupported, llm.KindMissing, llm.KindOverflow:
		return true
	default:
		return false
	}
}
