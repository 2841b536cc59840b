// Package remedy says what gets the user past an error, as one of a few names. Fronts offer an action for a name: a button, a command, a
// line. The text of an error is for the user only; no front reads it (docs/adr/0166).
//
//	an error ─► Of ─┐
//	a failed call ─► OfCall ─┴► Remedy ─► run.ended, error.data ─► a button
package remedy

import (
	"errors"

	"forge/engine/llm"
)

// Remedy names what gets the user past an error. The zero Remedy means that none is known.
type Remedy string

// The remedies.
const (
	Key    Remedy = "key"    // give the provider a key, replace the key, or pay for it
	Model  Remedy = "model"  // choose another model, or start a server that has one
	Limit  Remedy = "limit"  // raise the limit of tokens, cost or time
	Trust  Remedy = "trust"  // trust the folder
	Task   Remedy = "task"   // word the task differently
	Wait   Remedy = "wait"   // resume, or try again, later
	Answer Remedy = "answer" // resume, and answer the question
)

// All lists the remedies.
var All = []Remedy{Key, Model, Limit, Trust, Task, Wait, Answer}

// Error is an error with a remedy.
type Error struct {
	Remedy Remedy
	Err    error
}

// With returns an error that has a remedy; nil for nil.
func With(r Remedy, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Remedy: r, Err: err}
}

// New returns an error with a text and a remedy.
func New(r Remedy, text string) error { return With(r, errors.New(text)) }

// Error returns the text of the error without its remedy.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its remedy.
func (e *Error) Unwrap() error { return e.Err }

// Of returns the remedy of an error: the outermost that it was given, otherwise that of the failed call of a model in it.
func Of(err error) Remedy {
	if given, is := errors.AsType[*Error](err); is {
		return given.Remedy
	}
	return OfCall(llm.KindOf(err))
}

// NoModel is the kind of a call that was not made, because no model could be chosen.
const NoModel llm.Kind = "no model"

// OfCall returns the remedy of a failed call of a model.
func OfCall(kind llm.Kind) Remedy {
	switch kind {
	case llm.KindAuth:
		return Key
	case llm.KindOverflow, llm.KindInvalid, llm.KindUnsupported, llm.KindLength, NoModel:
		return Model
	case llm.KindBudget:
		return Limit
	case llm.KindRefused:
		return Task
	case llm.KindTransient, llm.KindRateLimited, llm.KindTruncated, llm.KindUnavailable, llm.KindMissing:
		return Wait
	}
	return ""
}
