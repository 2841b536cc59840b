// Package flow makes a run durable: the result of every step with an effect on, or from, the outside is
// journaled before it is used. A run that was cut off is played again from its journal: steps that had
// finished give what they gave, and only the first unfinished one does anything. So a finished call of a
// model is never bought again, and an answered question never asked again.
//
// A run is code over this interface and nothing else: it starts no goroutine, ranges over no map, reads no
// clock and no file. Everything goes in and out as names and JSON, so that another driver of the same
// interface (a workflow service, say) can run it unchanged.
package flow

import (
	"context"
	"encoding/json"
)

// Call names one step: where in the run it stands, which activity it is, and what goes in. Together with
// the input these are its identity in the journal; two calls of a run that are the same step differ in none.
type Call struct {
	Node    string          // the node of the graph: "executor"
	Attempt int             // of the node, from 1
	Name    string          // of the step, unique within node and attempt: "implementation/0", "gate/go vet"
	Do      string          // the activity: "model", "gate"
	Input   json.RawMessage // what the activity is given
}

// Flow is how the code of a run reaches the outside. Its methods are safe for concurrent use. Each returns
// the context's error when the run is cancelled or paused meanwhile.
type Flow interface {
	// RunID is the id of the run.
	RunID() string
	// Do performs one step, or gives what it gave before. An error of the activity itself is a *Failure.
	Do(ctx context.Context, c Call) (json.RawMessage, error)
	// Wait puts a question to the user, or gives the answer that was given before. The activity is the asker.
	Wait(ctx context.Context, c Call) (json.RawMessage, error)
}

// Failure is how an activity ended without a result. It is journaled like a result: played again it is the
// same failure. What should be tried again after a crash or a cancel (the context's error) is none.
type Failure struct { //nolint:errname // it is journaled, and the word of the field
	Kind    string `json:"kind"` // for programs; may be empty
	Message string `json:"message"`
}

// Error is the message, for people.
func (f *Failure) Error() string { return f.Message }

// UnableError is how an activity ends that could not be done on this machine now, for want of room on a disk, say. It says
// nothing of the step and is not journaled: once the machine is able, the run is resumed and makes the step.
type UnableError struct{ Cause error }

// Error is the cause, for people.
func (u *UnableError) Error() string { return u.Cause.Error() }

// Unwrap gives the cause.
func (u *UnableError) Unwrap() error { return u.Cause }

// Activity does something outside of the run. It may be started again with the same input if the process
// dies before its result is journaled: what must not happen twice needs the key, which is the same each time.
// It is cancelled when it runs past its limit.
type Activity func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error)
