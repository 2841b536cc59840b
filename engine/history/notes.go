package history

import (
	"encoding/json"

	"forge/engine/gate"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/memory"
)

// NotesOptions are what Notes need from the outside. All fields are required.
type NotesOptions struct {
	State   *state.State
	Secrets *secret.Redactor // secrets are replaced in what is kept
	Runs    Stoppable        // the runs that have tasks
	// Review reads what the reviewer of a run said last out of the run's result; nil where there was no review.
	Review func(result json.RawMessage) (*gate.Report, error)
}

// Notes are the notes of every folder. They hold nothing open themselves.
type Notes struct{ options NotesOptions }

// NewNotes returns the notes that a state holds.
func NewNotes(o NotesOptions) *Notes { return &Notes{o} }

// byUser is the source of what a user does.
var byUser = memory.Source{Origin: memory.User}
