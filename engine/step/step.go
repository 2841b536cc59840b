// Package step is the universal step of a run: construct one self-contained document, send it, receive
// the answer, check it, and turn all of that into one signal. Every call of a model in Forge is a
// step; what the signal means for the run is decided by the graph.
//
//	construct → send → receive → parse → check → signal
//	    ▲                          │        │
//	    └── repair, at most twice ─┴────────┘
package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/prompt"
)

// Signal says what may follow a step.
type Signal int

// The signals.
const (
	Success    Signal = iota
	Retryable         // the answer is of no use; another attempt may give a better one
	NeedsHuman        // no attempt will help: a key, a budget, a refusal
	Terminal          // the run is over: it was cancelled
)

// Outcome is a signal with its reason, for people and for the next attempt.
type Outcome struct {
	Signal Signal
	Reason string // empty for Success
}

// Repairs is how often an answer that cannot be used is sent back with its fault. Repairs do not count
// against the attempts of a node.
const Repairs = 2

// Env is what steps of one run share.
type Env struct {
	Model  llm.Model
	Retry  *llm.Policy // of calls that fail on their way; nil makes each call once
	Log    *event.Log
	Budget *Budget
	Now    func() time.Time
	// Window is how many tokens a request may have.
	Window int
}

// Step is one exchange with the model, whose answer is a T.
type Step[T any] struct {
	Node      string
	Attempt   int
	Name      string // what the answer is, for the model: "review"
	Document  prompt.Document
	MaxTokens int // of the answer
	// Check finds faults that T's schema cannot express; its error is shown to the model. May be nil.
	Check func(T) error
}

// Do takes the step. The T is of use only with Success.
func Do[T any](ctx context.Context, env Env, s Step[T]) (T, Outcome) {
	document := s.Document
	for round := 0; ; round++ {
		answer, outcome := send(ctx, env, s, document, round)
		if outcome.Signal != Success {
			var none T
			return none, outcome
		}
		value, fault := s.receive(answer)
		env.Log.Append(called(env, s.Node, s.Attempt, round, answer, fault))
		if fault == nil {
			return value, Outcome{}
		}
		if round == Repairs {
			return value, Outcome{Retryable, fmt.Sprintf("the model gave no %s that can be used, also not after %d repairs: %v", s.Name, Repairs, fault)}
		}
		document = s.Document.With(
			prompt.Section{Name: "Your previous answer", Text: answer.Text, Data: true, Cut: 1},
			prompt.Section{Name: "What is wrong with it", Text: fault.Error() + "\nAnswer again, whole and corrected."},
		)
	}
}

// receive makes a T of an answer, or says what is wrong with it.
func (s Step[T]) receive(answer llm.Response) (value T, fault error) {
	if answer.Finish == llm.FinishLength {
		return value, errors.New("the answer was cut off because it is too long: say less")
	}
	if fault = llm.Decode(answer.Text, &value); fault != nil || s.Check == nil {
		return value, fault
	}
	return value, s.Check(value)
}

func called(env Env, node string, attempt, round int, answer llm.Response, fault error) event.ModelCalled {
	call := event.ModelCalled{
		Node: node, Attempt: attempt, Round: round, Model: env.Model.Name(),
		Input: answer.Usage.Input, Output: answer.Usage.Output, Elapsed: answer.Latency,
	}
	if fault != nil {
		call.Failure = fault.Error()
	}
	return call
}
