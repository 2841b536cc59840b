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
	Paused    State = "paused"    // a person stopped it for now
	Done      State = "done"      // final
	Failed    State = "failed"    // can be claimed again: what failed is tried again after Forget
	Cancelled State = "cancelled" // a person stopped it for good
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
	Result                  json.RawMessage // what it came to, or nil
	Started, Ended          time.Time       // Ended is zero until it has ended
	Owner                   Owner           // who works on it; zero when nobody does
	Heartbeat               time.Time       // the owner's last sign of life
	Requested               Request         // what the owner has not heeded yet
	// Interrupted says that it is Running and nobody is alive who works on it: it can be claimed.
	Interrupted bool
}

// Kind is what a step of a journal is.
type Kind string

// The kinds of steps.
const (
	KindDo    Kind = "do"
	KindWait  Kind = "wait"
	KindSleep Kind = "sleep"
	KindNow   Kind = "now"
)

// Step is a row of the journal.
type Step struct {
	Run        string
	Node       string
	Attempt    int
	Name       string
	Generation int // how often it had been forgotten before
	Kind       Kind
	Do         string          // the activity
	InputHash  string          // of the input, hex
	Key        string          // what the activity is given as key
	Started    time.Time       // when it was first begun
	Ended      time.Time       // zero: it has not finished
	Output     json.RawMessage // nil if it failed or has not finished
	Failure    *Failure        // nil unless it failed
	Deadline   time.Time       // of a sleep
	Forgotten  bool            // it counts no more: Forget was called after it
}

// Finished reports whether there is an output or a failure.
func (s Step) Finished() bool { return !s.Ended.IsZero() }
