package flow

import (
	"context"
	"errors"
	"fmt"
)

// Kinds of a Failure that this package makes.
const (
	FailureTimeout = "timeout" // the activity ran past its limit
)

// stop is an error that ends a run's contexts: for errors.Is it is context.Canceled too.
type stop struct{ message string }

func (s *stop) Error() string        { return s.message }
func (s *stop) Is(target error) bool { return target == context.Canceled }

// Why the contexts of a run ended. Each of them is context.Canceled, too.
var (
	ErrPaused    error = &stop{"the run is paused"}
	ErrCancelled error = &stop{"the run is cancelled"}
	ErrFenced    error = &stop{"another process has taken the run over"}
	ErrReleased  error = &stop{"the run is no longer worked on here"}
)

// Errors of the store when it refuses a call.
var (
	ErrNoRun  = errors.New("there is no such run")
	ErrExists = errors.New("there is such a run already")
	ErrHeld   = errors.New("another process is working on the run")
	ErrEnded  = errors.New("the run has ended")
	// ErrDamaged is the error of a row whose checksum is wrong.
	ErrDamaged = errors.New("what was journaled has been damaged on the disk: this run cannot go on, start it anew")
)

// DivergedError says that a run is played by other code than has begun it: a step that has finished would
// now be given something else. What it gave then is not used.
type DivergedError struct {
	Run  string
	Call Call
	Was  Step
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("run %s: step %s of %s, attempt %d, was %q with other input when it was journaled: "+
		"it was begun by another version of Forge and cannot go on with this one; start it anew",
		e.Run, e.Call.Name, e.Call.Node, e.Call.Attempt, e.Was.Do)
}
