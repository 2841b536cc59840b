package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Status is the status of a node.
type Status int

// The six statuses.
const (
	Pending Status = iota
	Running
	Done
	Blocked // it waits for a retry, with a reason
	Failed  // final
	Skipped // final: not needed; counts as satisfied for its successors
)

// String returns the name of the status for users and the wire.
func (s Status) String() string {
	return [...]string{"PENDING", "RUNNING", "DONE", "BLOCKED", "FAILED", "SKIPPED"}[s]
}

// legal is the one table of status changes by Set. Follow adds the only other one: a lane reopens a Done or Blocked node.
var legal = map[Status][]Status{
	Pending: {Running, Skipped},
	Running: {Done, Blocked, Failed},
	Blocked: {Pending, Failed, Skipped},
}

// TransitionError is a status change that the table does not have.
type TransitionError struct {
	Node     string
	From, To Status
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("node %s: %s cannot become %s", e.Node, e.From, e.To)
}

// ErrMaxHops means that the limit of lane hops is reached.
var ErrMaxHops = errors.New("the limit of retries is reached (graph.maxHops)")

// Set changes a node's status if the table allows it; otherwise it returns a *TransitionError and
// changes nothing. Becoming Running counts as an attempt. The reason is for users.
func (g *Graph) Set(id string, to Status, reason string) error {
	n := g.find(id)
	if n == nil {
		return fmt.Errorf("set %s: no such node", id)
	}
	if !slices.Contains(legal[n.Status], to) {
		return &TransitionError{Node: id, From: n.Status, To: to}
	}
	n.Status, n.Reason, n.Signal = to, reason, signals[to]
	if to == Running {
		n.Attempt++
	}
	return nil
}

// lane returns the target of a node's lane of that type, and whether it exists.
func (g *Graph) lane(from string, t EdgeType) (to string, ok bool) {
	for _, e := range g.edges {
		if e.From == from && e.Type == t {
			return e.To, true
		}
	}
	return "", false
}

// Follow takes the lane of that type from a node that is Blocked (or Done or Failed, for ReviewPass) and reopens its target with the reason.
// Nodes downstream of the target were built on work that is now redone, so they are reopened too: at once, or when they end if they
// are Running. Only ReviewPass reopens its target alone. It returns the nodes that are pending again, in the graph's order.
//
// Following uses one of the target's hops: concurrent work takes none from each other. If none are left, nothing changes and the
// error is ErrMaxHops.
func (g *Graph) Follow(from string, t EdgeType, reason string) ([]string, error) {
	source, lane := g.find(from), "follow "+t.String()+" from "+from
	to, ok := g.lane(from, t)
	if source == nil || !ok || t == Normal {
		return nil, fmt.Errorf("%s: no such lane", lane)
	}
	if want := laneSources(t); !slices.Contains(want, source.Status) {
		return nil, fmt.Errorf("%s: the node is %s, not %s", lane, source.Status, want[0])
	}
	if g.hops[to] >= g.maxHops() {
		return nil, fmt.Errorf("%s: %w (%d)", lane, ErrMaxHops, g.maxHops())
	}
	if g.hops == nil {
		g.hops = map[string]int{}
	}
	g.hops[to]++
	if source.Status == Failed {
		if g.failuresHandled == nil {
			g.failuresHandled = map[string]bool{}
		}
		g.failuresHandled[from] = true
	}
	return g.reopen(to, t != ReviewPass, reason), nil
}

func (g *Graph) maxHops() int {
	if g.MaxHops == 0 {
		return DefaultMaxHops
	}
	return g.MaxHops
}

// laneSources are the statuses of nodes that may follow a lane.
func laneSources(t EdgeType) []Status {
	if t == ReviewPass {
		return []Status{Done, Failed}
	}
	return []Status{Blocked}
}

func (g *Graph) reopen(target string, downstream bool, reason string) []string {
	stale := []string{target}
	if downstream {
		stale = append(stale, g.Descendants(target)...)
	}
	var reopened []string
	for _, n := range g.nodes {
		if !slices.Contains(stale, n.ID) {
			continue
		}
		switch n.Status {
		case Running:
			g.outdate(n.ID)
		case Done, Blocked:
			n.Status, n.Reason, n.Signal = Pending, "", NoSignal
			if n.ID == target {
				n.Reason = reason
			}
			reopened = append(reopened, n.ID)
		}
	}
	return reopened
}

func (g *Graph) outdate(id string) {
	if g.stale == nil {
		g.stale = map[string]bool{}
	}
	g.stale[id] = true
}

// renew reopens a node that was outdated while it ran and has now ended. It reports whether it was.
func (g *Graph) renew(id string) bool {
	if !g.stale[id] {
		return false
	}
	delete(g.stale, id)
	n := g.find(id)
	n.Status, n.Reason, n.Signal = Pending, "the work it was built on is being redone", NoSignal
	return true
}

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

// MarshalText returns the status by its name, so that stored data does not depend on the order of constants.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status by its name.
func (s *Status) UnmarshalText(text []byte) error {
	for known := Pending; known <= Skipped; known++ {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("%q is no status of a node", text)
}

// MarshalText returns the type by its name.
func (t EdgeType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a type by its name.
func (t *EdgeType) UnmarshalText(text []byte) error {
	for known := Normal; known <= Failure; known++ {
		if known.String() == string(text) {
			*t = known
			return nil
		}
	}
	return fmt.Errorf("%q is no type of an edge", text)
}
