package sandbox

import "fmt"

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

// fenceError is why a command could not be kept from the user's files.
type fenceError struct{ cause error }

func (e *fenceError) Error() string {
	return "it could not be kept from your files (" + e.cause.Error() + ")"
}
func (e *fenceError) Unwrap() error { return e.cause }
