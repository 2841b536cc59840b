package history

import (
	"encoding/json"

	"forge/engine/gate"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/memory"
)

// NotesOptions are the dependencies of Notes. All fields are required.
type NotesOptions struct {
	State   *state.State
	Secrets *secret.Redactor // replaced in stored texts
	Runs    Stoppable        // the runs that have tasks
	// Review reads the reviewer's last report from the run's result; nil if there was no review.
	Review func(result json.RawMessage) (*gate.Report, error)
}

// Notes are the notes of every folder. They keep no files open themselves.
type Notes struct{ options NotesOptions }

// NewNotes returns the notes in a state.
func NewNotes(o NotesOptions) *Notes { return &Notes{o} }

// byUser is the source of a user's changes.
var byUser = memory.Source{Origin: memory.User}
