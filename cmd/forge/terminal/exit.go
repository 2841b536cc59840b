package terminal

import "errors"

// The exit codes, the same for every command.
const (
	ExitOK         = 0
	ExitFailed     = 1
	ExitUsage      = 2
	ExitBlocked    = 3
	ExitCancelled  = 4
	ExitBroken     = 5 // an internal error
	ExitUnanswered = 6 // with --non-interactive: a question was not asked
)

// ExitError ends the program with its own exit code; the text is empty if it was printed already.
type ExitError struct {
	Code int
	Text string
}

// Error returns the text, which may be empty.
func (e *ExitError) Error() string { return e.Text }

// AsExit returns the *ExitError in an error, or nil.
func AsExit(err error) *ExitError {
	var exit *ExitError
	errors.As(err, &exit)
	return exit
}

// ExitWith returns an error that ends the program with a code and a text.
func ExitWith(code int, text string) *ExitError { return &ExitError{Code: code, Text: text} }
