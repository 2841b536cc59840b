package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/internal/lazyregexp"
)

// Kind is what a record says happened.
type Kind string

// The kinds of records that Forge writes. Readers keep kinds they do not know.
const (
	SessionCreated Kind = "session-created"
	TurnUser       Kind = "turn-user"
	TurnResult     Kind = "turn-result"
	MetaUpdated    Kind = "meta-updated"
)

// Record is one thing that happened in a conversation.
type Record struct {
	Kind   Kind            `json:"kind"`
	At     time.Time       `json:"at"`
	Writer string          `json:"writer,omitempty"` // "editor", "terminal"
	Run    string          `json:"run,omitempty"`    // the run it belongs to
	Body   json.RawMessage `json:"body,omitempty"`
}

// ErrInvalid is an id or a record that cannot be kept.
var ErrInvalid = errors.New("not valid")

// ids are what conversations may be called: they become names of files.
var ids = lazyregexp.New(`^[\w.-]{1,128}$`)

// CheckID refuses an id that is no name of a conversation.
func CheckID(id string) error {
	if !ids.MatchString(id) || id == "." || id == ".." {
		return fmt.Errorf("%w: %q is no name of a conversation: 1 to 128 letters, digits, dots, dashes and underscores", ErrInvalid, id)
	}
	return nil
}

func (r Record) check() error {
	if r.Kind == "" {
		return fmt.Errorf("%w: a record needs a kind", ErrInvalid)
	}
	if len(r.Body) > 0 && !json.Valid(r.Body) {
		return fmt.Errorf("%w: the body of a %s is not JSON", ErrInvalid, r.Kind)
	}
	return nil
}
