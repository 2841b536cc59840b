package patch

import (
	"fmt"
)

// pathRunes is how much of a path a message shows.
const pathRunes = 200

// shownRunes is how much of a line, or of a name in the middle of a message, is shown.
const shownRunes = 100

// ParseError says where and why a text is no patch.
type ParseError struct {
	Line  int // from 1, in the text given to Parse
	Cause string
	Err   error // the *PathError behind it, or nil
}

func (e *ParseError) Error() string { return fmt.Sprintf("patch line %d: %s", e.Line, e.Cause) }

// Unwrap returns the error behind the cause, if there is one.
func (e *ParseError) Unwrap() error { return e.Err }

// PathError says why a path may not be read or written, or named by an edit.
type PathError struct {
	Path  string
	Cause string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q is refused: %s", Clip(e.Path, pathRunes), e.Cause)
}
