package service

import (
	"context"
	"errors"

	"forge/api"
	"forge/engine"
	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/memory"
)

// Fault classifies an error of a command. Fronts derive the exit code or the protocol's error code from it, and the advice for the user.
type Fault int

// The kinds of errors.
const (
	NoFault    Fault = iota
	Failed           // any other error
	WrongInput       // a wrong argument or command name
	NoSuchRun
	NoSuchBatch
	NotThere  // the named object does not exist: often a *MissingError
	Collected // the named object was deleted
	Illegal   // the state transition is invalid
	Busy      // a run does not stop: a *BusyError
	NotTrusted
	OtherVersion // another version of Forge started the run
	Cancelled
)

// FaultOf classifies an error.
func FaultOf(err error) Fault {
	if err == nil {
		return NoFault
	}
	for _, kind := range []struct {
		fault Fault
		is    bool
	}{
		{WrongInput, as[*api.ArgumentError](err) || as[*api.UnknownError](err) || as[*InputError](err)},
		{Illegal, as[*memory.StateError](err)},
		{Busy, as[*BusyError](err)},
		{NotThere, errors.Is(err, memory.ErrNotFound)},
		{Collected, errors.Is(err, memory.ErrCollected)},
		{NoSuchRun, errors.Is(err, history.ErrNoRun)},
		{NoSuchBatch, errors.Is(err, activity.ErrNoBatch)},
		{NotTrusted, errors.Is(err, engine.ErrNotTrusted)},
		{WrongInput, errors.Is(err, checks.ErrNoGate) || errors.Is(err, execution.ErrNotSent) || errors.Is(err, memory.ErrInvalid)},
		{OtherVersion, errors.Is(err, execution.ErrOtherVersion)},
		{Cancelled, errors.Is(err, context.Canceled)},
	} {
		if kind.is {
			return kind.fault
		}
	}
	return Failed
}

// RemedyOf returns what gets the user past an error of a command; empty if that is not known.
func RemedyOf(err error) event.Remedy {
	if known := event.RemedyOf(err); known != "" {
		return known
	}
	switch FaultOf(err) {
	case Busy:
		return event.RemedyWait
	case NotTrusted:
		return event.RemedyTrust
	default:
		return ""
	}
}

func as[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}
