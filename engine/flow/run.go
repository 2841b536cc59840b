package flow

import (
	"encoding/json"
	"time"
)

// State is where a run stands. Runs begin as Running; lease.End gives them any other.
type State string

// The states of a run.
const (
	Running   State = "running"   // somebody works on it, or died while doing so
	Paused    State = "paused"    // the user stopped it for now
	Done      State = "done"      // final
	Failed    State = "failed"    // can be claimed again: what failed is tried again after Forget
	Cancelled State = "cancelled" // the user stopped it for good
)

// Request is what somebody asks of whoever works on a run.
type Request string

// The requests, and their absence.
const (
	RequestNone   Request = ""
	RequestPause  Request = "pause"
	RequestCancel Request = "cancel"
)

// NewRun is what a run begins with. The caller makes the id.
type NewRun struct {
	ID     string          // unique in the store
	Kind   string          // for programs: which code plays it
	Folder string          // the folder it is about
	Title  string          // for people
	Input  json.RawMessage // what the code of the run is given, each time it is played
	Base   string          // the snapshot it starts from
}

// Run is a run as the store knows it.
type Run struct {
	ID, Kind, Folder, Title string
	Input                   json.RawMessage
	Base                    string
	State                   State
	Reason                  string          // for people: why it ended as it did
	Result                  json.RawMessage // its result, or nil
	Summary                 json.RawMessage // what lists show of it, as Lease.Summarize had it last; nil before
	Started, Ended          time.Time       // Ended is zero until it has ended
	Owner                   Owner           // who works on it; zero when nobody does
	Heartbeat               time.Time       // the owner's last sign of life
	Requested               Request         // what the owner has not heeded yet
	// Interrupted says that it is Running and nobody is alive who works on it: it can be claimed.
	Interrupted bool

	fence int64 // what its owner's writes have to show
}
