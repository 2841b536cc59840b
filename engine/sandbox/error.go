package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"

	"forge/internal/failpoint"
)

// NotStartedError means that there was no process: nothing ran and nothing was changed. Its text names
// the program and what the user can do.
type NotStartedError struct {
	Name   string // the program as the caller named it
	Reason string // what happened and what to do, for users
	Err    error  // the cause; may be nil
}

// Error returns the message for users.
func (e *NotStartedError) Error() string {
	return fmt.Sprintf("could not start %q: %s", e.Name, e.Reason)
}

// Unwrap returns the cause. It matches fs.ErrNotExist when the program is missing.
func (e *NotStartedError) Unwrap() error { return e.Err }

// UnconfinedError is why this system cannot jail a command: nothing was started.
type UnconfinedError struct{ Reason string }

// Error returns the message for users.
func (e *UnconfinedError) Error() string { return "this system cannot confine it: " + e.Reason }

// FailpointUnconfined takes away from this system what confines commands.
const FailpointUnconfined = "sandbox.unconfined"

// Confinable returns why this system cannot jail commands, as an *UnconfinedError; nil if it can. It starts one only in case of doubt.
func Confinable(ctx context.Context, r Runner) error {
	if confinable() && !failpoint.Armed(FailpointUnconfined) {
		return nil
	}
	_, err := r.Run(ctx, Command{Argv: []string{"git", "--version"}, Dir: os.TempDir(), Jail: &Jail{Read: []string{os.TempDir()}}})
	if unconfined, is := errors.AsType[*UnconfinedError](err); is {
		return unconfined
	}
	return nil
}

// NotStarted reports whether an error means that a program is missing, or could not start.
func NotStarted(err error) bool {
	missing := new(NotStartedError)
	return errors.As(err, &missing)
}
