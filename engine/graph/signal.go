package graph

// Signal says what may follow the end of a node. It stands beside the node's status, which does not tell a node that is tried again
// from one that waits for the user.
type Signal int

// The signals. A node that has not ended, or was skipped, has none.
const (
	NoSignal       Signal = iota
	Success               // what depends on it can go on
	Retryable             // a lane leads back: it is tried again with the reason
	BlockedOnHuman        // nothing tries it again by itself: a key, a budget, an answer or another request is missing
	Terminal              // it is not tried again
)

// String gives the signal as people and the wire know it; none is empty.
func (s Signal) String() string {
	return [...]string{"", "SUCCESS", "RETRYABLE", "BLOCKED_ON_HUMAN", "TERMINAL"}[s]
}

// signals are those of nodes that end without a lane.
var signals = map[Status]Signal{Done: Success, Blocked: BlockedOnHuman, Failed: Terminal}

// signal is what the outcome means for what follows.
func (o Outcome) signal() Signal {
	if o.Status == Blocked && o.Lane != Normal {
		return Retryable
	}
	return signals[o.Status]
}
