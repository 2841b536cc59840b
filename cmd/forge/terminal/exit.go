package terminal

import "errors"

// The exit codes, the same for every command.
const (
	ExitOK         = 0
	ExitFailed     = 1
	ExitUsage      = 2
	ExitBlocked    = 3
	ExitCancelled  = 4
	ExitBroken     = 5 // an error of Forge's own
	ExitUnanswered = 6 // with --non-interactive: it would have had to ask
)

// ExitError ends the program with a code of its own; its text has been shown already when it is empty.
type ExitError struct {
	Code int
	Text string
}

// Error is the text, which may be empty.
func (e *ExitError) Error() string { return e.Text }

// AsExit returns the *ExitError of an error; nil if it is none.
func AsExit(err error) *ExitError {
	var exit *ExitError
	errors.As(err, &exit)
	return exit
}

// ExitWith ends the program with a code and a text.
func ExitWith(code int, text string) *ExitError { return &ExitError{Code: code, Text: text} }
