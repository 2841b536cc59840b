package flow

import (
	"context"
	"errors"
	"fmt"
)

// The kinds of a Failure that this package creates.
const (
	FailureTimeout = "timeout" // the activity ran past its limit
)

// stop is an error that ends a run's contexts. It also matches context.Canceled.
type stop struct{ message string }

func (s *stop) Error() string        { return s.message }
func (s *stop) Is(target error) bool { return target == context.Canceled }

// The reasons for which the contexts of a run end. Each of them matches context.Canceled.
var (
	ErrPaused    error = &stop{"the run is paused"}
	ErrCancelled error = &stop{"the run is cancelled"}
	ErrFenced    error = &stop{"another process has taken the run over"}
	ErrReleased  error = &stop{"the run is no longer worked on here"}
)

// The errors with which the store rejects a call.
var (
	ErrNoRun  = errors.New("there is no such run")
	ErrExists = errors.New("a run with this id exists already")
	ErrHeld   = errors.New("another process is working on the run")
	ErrEnded  = errors.New("the run has ended")
	// ErrDamaged means that the checksum of a row is wrong.
	ErrDamaged = errors.New("the journal of the run is damaged on disk: the run cannot continue, start it again")
)

// DivergedError means that the code of the run differs from the code that began it: a finished step is
// now called with another input. Its journaled result is not used.
type DivergedError struct {
	Run  string
	Call Call
	Was  Step
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("run %s: step %s of %s, attempt %d, was %q with other input when it was journaled: "+
		"another version of Forge began it, and this one cannot continue it; start it again",
		e.Run, e.Call.Name, e.Call.Node, e.Call.Attempt, e.Was.Do)
}
