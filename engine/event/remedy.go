package event

import (
	"errors"

	"forge/engine/llm"
)

// Remedy names what gets the user past an error. Fronts offer an action for a name: a button, a command, a line. The text of an error is for the
// user only; no front reads it (docs/adr/0166). The zero Remedy means that none is known.
//
//	an error ─► RemedyOf ─────────┐
//	a failed call ─► RemedyOfCall ┴► Remedy ─► run.ended, error.data ─► a button
type Remedy string

// The remedies.
const (
	RemedyKey    Remedy = "key"    // give the provider a key, replace the key, or pay for it
	RemedyModel  Remedy = "model"  // choose another model, or start a server that has one
	RemedyLimit  Remedy = "limit"  // raise the limit of tokens, cost or time
	RemedyTrust  Remedy = "trust"  // trust the folder
	RemedyTask   Remedy = "task"   // word the task differently
	RemedyWait   Remedy = "wait"   // resume, or try again, later
	RemedyAnswer Remedy = "answer" // resume, and answer the question
)

// Remedies lists the remedies.
var Remedies = []Remedy{RemedyKey, RemedyModel, RemedyLimit, RemedyTrust, RemedyTask, RemedyWait, RemedyAnswer}

// remedied is an error with a remedy.
type remedied struct {
	Remedy Remedy
	Err    error
}

// WithRemedy returns an error that has a remedy; nil for nil.
func WithRemedy(r Remedy, err error) error {
	if err == nil {
		return nil
	}
	return &remedied{Remedy: r, Err: err}
}

// NewRemedied returns an error with a text and a remedy.
func NewRemedied(r Remedy, text string) error { return WithRemedy(r, errors.New(text)) }

// Error returns the text of the error without its remedy.
func (e *remedied) Error() string { return e.Err.Error() }

// Unwrap returns the error without its remedy.
func (e *remedied) Unwrap() error { return e.Err }

// RemedyOf returns the remedy of an error: the outermost that it was given, otherwise that of the failed call of a model in it.
func RemedyOf(err error) Remedy {
	if given, is := errors.AsType[*remedied](err); is {
		return given.Remedy
	}
	return RemedyOfCall(llm.KindOf(err))
}

// NoModel is the kind of a call that was not made, because no model could be chosen.
const NoModel llm.Kind = "no model"

// RemedyOfCall returns the remedy of a failed call of a model.
func RemedyOfCall(kind llm.Kind) Remedy {
	switch kind {
	case llm.KindAuth:
		return RemedyKey
	case llm.KindOverflow, llm.KindInvalid, llm.KindUnsupported, llm.KindLength, NoModel:
		return RemedyModel
	case llm.KindBudget:
		return RemedyLimit
	case llm.KindRefused:
		return RemedyTask
	case llm.KindTransient, llm.KindRateLimited, llm.KindTruncated, llm.KindUnavailable, llm.KindMissing:
		return RemedyWait
	}
	return ""
}
