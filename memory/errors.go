package memory

import "errors"

// Errors that callers distinguish with errors.Is. The message has the details.
var (
	// ErrInvalid is a value that memory does not take: a tier, a name, a JSON text, a source.
	ErrInvalid = errors.New("not valid")
	// ErrNotFound is a row that does not exist, or no longer.
	ErrNotFound = errors.New("not found")
	// ErrCollected is a version of the specification that was there, and that gc has taken away.
	ErrCollected = errors.New("no longer kept")
	// ErrExists is a version, or an id, that another process has taken meanwhile.
	ErrExists = errors.New("already there")
)
