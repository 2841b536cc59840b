package flow

import (
	"encoding/json"
	"time"
)

// State is the state of a run. A run begins as Running; Lease.End sets any other.
type State string

// The states of a run.
const (
	Running   State = "running"   // a process works on it, or died while doing so
	Paused    State = "paused"    // the user stopped it for now
	Done      State = "done"      // final
	Failed    State = "failed"    // can be claimed again: after Forget, failed steps are retried
	Cancelled State = "cancelled" // the user stopped it for good
)

// Request is what a user requests from the process that works on a run.
type Request string

// The requests, and their absence.
const (
	RequestNone   Request = ""
	RequestPause  Request = "pause"
	RequestCancel Request = "cancel"
)

// NewRun describes a run that begins. The caller chooses the id.
type NewRun struct {
	ID     string          // unique in the store
	Kind   string          // for programs: which code plays it
	Folder string          // the folder it works on
	Title  string          // for users
	Input  json.RawMessage // input of the run's code, the same in each replay
	Base   string          // the snapshot it starts from
}

// Run is a run as the store records it.
type Run struct {
	ID, Kind, Folder, Title string
	Input                   json.RawMessage
	Base                    string
	State                   State
	Reason                  string          // for users: why it ended as it did
	Result                  json.RawMessage // its result, or nil
	Summary                 json.RawMessage // what lists show of it, as last written by Lease.Summarize; nil before
	Started, Ended          time.Time       // Ended is zero until it has ended
	Owner                   Owner           // the process that works on it; zero if none does
	Heartbeat               time.Time       // the owner's last heartbeat
	Requested               Request         // a request that the owner has not handled yet
	// Interrupted means that the run is Running and no living process works on it: it can be claimed.
	Interrupted bool

	fence int64 // the fence that its owner's writes must have
}
