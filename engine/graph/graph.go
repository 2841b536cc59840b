// Package graph is a directed graph of work: nodes with a status each, typed edges between them, one
// table of legal status changes, and the set of nodes that are ready. It is pure: no I/O, no clock.
package graph

// Status is how a node stands.
type Status int

// The six statuses.
const (
	Pending Status = iota
	Running
	Done
	Blocked // alive: it waits to be tried again, with a reason
	Failed
	Skipped // not needed; counts as satisfied for its successors
)

// EdgeType says when an edge is followed.
type EdgeType int

// The five types. Only Normal edges order work; the others are lanes followed by decision.
const (
	Normal EdgeType = iota
	ReviewFail
	ReviewPass
	Escalate
	Failure
)

// Node is one piece of work.
type Node struct {
	ID      string // unique in the graph: "executor"
	Kind    string // what runs it: "executor"
	Status  Status
	Attempt int    // how often it was started; 0 before the first start
	Reason  string // why it is Blocked, Failed or Skipped
}

// Edge leads from one node to another.
type Edge struct {
	From, To string
	Type     EdgeType
}
