package service

import (
	"context"
	"errors"

	"forge/api"
	"forge/engine"
	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/memory"
)

// Fault is what kind of error a command has ended with. Fronts choose an exit code, or a code of their protocol, and what a user is
// advised to do, by it.
type Fault int

// The kinds of errors.
const (
	NoFault    Fault = iota
	Failed           // any other error
	WrongInput       // an argument, or the name of a command, is wrong
	NoSuchRun
	NoSuchBatch
	NotThere  // what is named is not there: often a *MissingError
	Collected // what is named is not there any more
	Illegal   // what is named cannot be brought into the state that is wanted
	Busy      // a run does not stop: a *BusyError
	NotTrusted
	OtherVersion // another version of Forge began the run
	Cancelled
)

// FaultOf is the kind of an error.
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

func as[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}
