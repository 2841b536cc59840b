package patch

import (
	"fmt"
)

// pathRunes bounds a path in a message, in characters.
const pathRunes = 200

// shownRunes bounds a line, or a name inside a message, in characters.
const shownRunes = 100

// ParseError reports where and why a text is not a patch.
type ParseError struct {
	Line  int // from 1, in the text given to Parse
	Cause string
	Err   error // the *PathError behind it, or nil
}

func (e *ParseError) Error() string { return fmt.Sprintf("patch line %d: %s", e.Line, e.Cause) }

// Unwrap returns the error behind the cause, if there is one.
func (e *ParseError) Unwrap() error { return e.Err }

// PathError reports why a path may not be read, written or named by an edit.
type PathError struct {
	Path  string
	Cause string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q is refused: %s", Clip(e.Path, pathRunes), e.Cause)
}
