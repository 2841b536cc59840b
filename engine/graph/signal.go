package graph

// Signal is what may follow the end of a node. The node's status does not distinguish a node that is retried from one that waits
// for the user.
type Signal int

// The signals. A node that has not ended, or was skipped, has none.
const (
	NoSignal       Signal = iota
	Success               // its dependents can continue
	Retryable             // a lane leads back: it is retried with the reason
	BlockedOnHuman        // no retry helps: a key, a budget, an answer or another request is missing
	Terminal              // it is not retried
)

// String returns the name of the signal for users and the wire; none is empty.
func (s Signal) String() string {
	return [...]string{"", "SUCCESS", "RETRYABLE", "BLOCKED_ON_HUMAN", "TERMINAL"}[s]
}

// signals maps the status of nodes that end without a lane.
var signals = map[Status]Signal{Done: Success, Blocked: BlockedOnHuman, Failed: Terminal}

// signal returns what may follow the outcome.
func (o Outcome) signal() Signal {
	if o.Status == Blocked && o.Lane != Normal {
		return Retryable
	}
	return signals[o.Status]
}
