// Package notes is what users read and change of a folder's memory: entries, specifications and tasks. Runs write there as well, through
// the same memory.
package notes

import (
	"encoding/json"

	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/memory"
)

// Options are what Notes need from the outside. All fields are required.
type Options struct {
	State   *state.State
	Secrets *secret.Redactor  // secrets are replaced in what is kept
	Runs    history.Stoppable // the runs that have tasks
	// Review reads what the reviewer of a run said last out of the run's result; nil where there was no review.
	Review func(result json.RawMessage) (*gate.Report, error)
}

// Notes are the notes of every folder. They hold nothing open themselves.
type Notes struct{ options Options }

// New returns the notes that a state holds.
func New(o Options) *Notes { return &Notes{o} }

// byUser is the source of what a user does.
var byUser = memory.Source{Origin: memory.User}
