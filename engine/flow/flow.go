// Package flow makes a run durable: the result of every step with an effect on, or from, the outside is
// journaled before it is used. An interrupted run is replayed from its journal: finished steps return
// their journaled results, and only the first unfinished one is performed. So no finished model call is
// billed twice, and no answered question is asked twice.
//
// A run is code over this interface and nothing else: it starts no goroutine, ranges over no map, reads no
// clock and no file. Everything goes in and out as names and JSON, so that another driver of the same
// interface (such as a workflow service) can run it unchanged.
package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Call names one step: its place in the run, its activity and its input. Together these are its identity in the journal.
type Call struct {
	Node    string          // the node of the graph: "executor"
	Attempt int             // of the node, from 1
	Name    string          // of the step, unique within node and attempt: "implementation/0", "gate/go vet"
	Do      string          // the activity, such as "model" or "gate"
	Input   json.RawMessage // of the activity
}

// Flow connects the code of a run with the outside. Its methods are safe for concurrent use. Each returns
// the context's error if the run is cancelled meanwhile.
type Flow interface {
	// RunID returns the id of the run.
	RunID() string
	// Do performs one step, or returns its journaled result. An error of the activity itself is a *Failure.
	Do(ctx context.Context, c Call) (json.RawMessage, error)
	// Wait asks the user a question, or returns the journaled answer. The activity is the asker.
	Wait(ctx context.Context, c Call) (json.RawMessage, error)
}

// Failure is the end of an activity without a result. It is journaled like a result, and a replay returns
// the same failure. An error that a retry may avoid, such as a crash or the context's error, is no
// Failure.
type Failure struct { //nolint:errname // a journaled value, named by the field's term
	Kind    string `json:"kind"` // for programs; may be empty
	Message string `json:"message"`
}

// Error returns the message, for users.
func (f *Failure) Error() string { return f.Message }

// UnableError means that this machine cannot perform the activity now, for example because its disk is full. It is not
// journaled: once the machine is able, the resumed run performs the step.
type UnableError struct{ Cause error }

// Error returns the message of the cause, for users.
func (u *UnableError) Error() string { return u.Cause.Error() }

// Unwrap returns the cause.
func (u *UnableError) Unwrap() error { return u.Cause }

// Activity does something outside of the run. It may be started again with the same input if the process dies
// before its result is journaled. If its effect must not happen twice, it uses key, which is the same each
// time. It is cancelled at its time limit.
type Activity func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error)

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
