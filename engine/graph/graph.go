// Package graph is a directed graph of work: nodes with a status each, typed edges between them, one
// table of legal status changes, and the set of nodes that are ready. It is pure: no I/O, no clock.
//
// Normal edges order the work and never form a cycle. The other edges are lanes: they may point back,
// are followed only by decision (Follow), and each time use one of a bounded number of hops.
//
// Invariant: a status changes in transition.go and nowhere else. Failed and Skipped are final; Done is
// left only along a lane, which reopens the lane's target. A Failed node stops what waits for it, unless it has followed a lane of the
// type ReviewPass: then the node that decides what is next has heard of it.
package graph

import (
	"fmt"
	"slices"
)

// EdgeType is the condition for following an edge.
type EdgeType int

// The five types. Only Normal edges order work; the others are lanes.
const (
	Normal     EdgeType = iota
	ReviewFail          // a review rejected the work: back to its author
	ReviewPass          // a review passed: back to the node that decides what is next
	Escalate            // another node must look at it
	Failure             // the work itself failed: retry it
)

// String returns the name of the type for users and the wire.
func (t EdgeType) String() string {
	return [...]string{"normal", "review_fail", "review_pass", "escalate", "failed"}[t]
}

// Node is one piece of work.
type Node struct {
	ID      string // unique in the graph: "executor"
	Kind    string // what runs it: "executor"
	Status  Status
	Attempt int    // how often it was started; 0 before the first start
	Reason  string // why it is Blocked, Failed, Skipped or reopened
	Signal  Signal // what may follow its end; none before
}

// Edge leads from one node to another.
type Edge struct {
	From, To string
	Type     EdgeType
}

// DefaultMaxHops limits how often lanes may lead to one node.
const DefaultMaxHops = 20

// Graph holds nodes and edges. The zero Graph is empty and ready to use. It is not safe for concurrent
// use: Run owns it while it runs.
type Graph struct {
	// MaxHops limits how often lanes may lead to one node; 0 means DefaultMaxHops.
	MaxHops int

	nodes           []*Node // in order of addition, which is the order of all lists
	edges           []Edge
	hops            map[string]int      // how often lanes have led to a node
	stale           map[string]bool     // running nodes whose input was reopened; see Follow
	failuresHandled map[string]bool     // Failed nodes whose failure another node decides about; see Follow
	waits           map[string][]string // of a node that was reopened: what it waits for besides its edges; see Outcome.Await
}

// CycleError names the nodes of a cycle; the first one is repeated at the end.
type CycleError struct{ Path []string }

func (e *CycleError) Error() string { return fmt.Sprintf("the work waits for itself: %v", e.Path) }

// AddNode adds a pending node. The id must be new.
func (g *Graph) AddNode(id, kind string) error {
	if id == "" || g.find(id) != nil {
		return fmt.Errorf("add node %q: the id must be new and not empty", id)
	}
	g.nodes = append(g.nodes, &Node{ID: id, Kind: kind})
	return nil
}

// AddEdge adds an edge between nodes of the graph. A normal edge that would close a cycle is rejected
// with a *CycleError. A lane leads back: to its own node, or to one that it waits for (add the normal
// edges first); otherwise reopening the target would not reopen the source.
func (g *Graph) AddEdge(from, to string, t EdgeType) error {
	if g.find(from) == nil || g.find(to) == nil {
		return fmt.Errorf("add edge %s → %s: no such node", from, to)
	}
	edge := Edge{From: from, To: to, Type: t}
	if slices.Contains(g.edges, edge) {
		return fmt.Errorf("add edge %s → %s: it exists already", from, to)
	}
	if t == Normal {
		if path := g.path(to, from); path != nil {
			return &CycleError{Path: append(path, to)}
		}
	} else if g.path(to, from) == nil {
		return fmt.Errorf("add %s lane %s → %s: it does not lead back", t, from, to)
	}
	g.edges = append(g.edges, edge)
	return nil
}

// Grow adds nodes and edges. An error leaves the graph partly grown: it is a bug of the caller.
func (g *Graph) Grow(more Growth) error {
	for _, n := range more.Nodes {
		if err := g.AddNode(n.ID, n.Kind); err != nil {
			return err
		}
	}
	for _, e := range more.Edges {
		if to := g.find(e.To); e.Type == Normal && to != nil && to.Status != Pending {
			return fmt.Errorf("add edge %s → %s: %s is %s", e.From, e.To, e.To, to.Status)
		}
		if err := g.AddEdge(e.From, e.To, e.Type); err != nil {
			return err
		}
	}
	return nil
}

// MustGrow is Grow for what cannot be wrong: constants, and names that are new. It panics on an error.
func (g *Graph) MustGrow(more Growth) {
	if err := g.Grow(more); err != nil {
		panic(err)
	}
}

// Nodes returns copies of all nodes in the order of their addition.
func (g *Graph) Nodes() []Node {
	nodes := make([]Node, len(g.nodes))
	for i, n := range g.nodes {
		nodes[i] = *n
	}
	return nodes
}

// Edges returns all edges in the order of their addition.
func (g *Graph) Edges() []Edge { return slices.Clone(g.edges) }

// Ready returns the pending nodes whose normal predecessors are all settled.
func (g *Graph) Ready() []string {
	var ready []string
	for _, n := range g.nodes {
		if n.Status == Pending && g.satisfied(n.ID) {
			ready = append(ready, n.ID)
		}
	}
	return ready
}

// Complete reports whether every node is settled.
func (g *Graph) Complete() bool {
	return !slices.ContainsFunc(g.nodes, func(n *Node) bool { return !g.settled(n) })
}

// settled reports whether nothing waits for a node any more: it is Done, Skipped, or Failed in a way that another node decides about.
func (g *Graph) settled(n *Node) bool {
	return n.Status == Done || n.Status == Skipped || n.Status == Failed && g.failuresHandled[n.ID]
}

// Descendants returns every node that waits for the given one, directly or not, in the graph's order.
func (g *Graph) Descendants(id string) []string {
	return g.closure(id, func(e Edge) (string, string) { return e.From, e.To })
}

func (g *Graph) find(id string) *Node {
	for _, n := range g.nodes {
		if n.ID == id {
			return n
		}
	}
	return nil
}

func (g *Graph) satisfied(id string) bool { return len(g.unsatisfied(id)) == 0 }

// unsatisfied returns the nodes that a node still waits for.
func (g *Graph) unsatisfied(id string) (nodes []string) {
	for _, before := range g.before(id) {
		if !g.settled(g.find(before)) {
			nodes = append(nodes, before)
		}
	}
	return nodes
}

func (g *Graph) before(id string) []string {
	nodes := slices.Clone(g.waits[id])
	for _, e := range g.edges {
		if e.Type == Normal && e.To == id {
			nodes = append(nodes, e.From)
		}
	}
	return nodes
}

// path returns the nodes on a path along normal edges, or nil.
func (g *Graph) path(from, to string) []string {
	if from == to {
		return []string{from}
	}
	for _, e := range g.edges {
		if e.Type == Normal && e.From == from {
			if rest := g.path(e.To, to); rest != nil {
				return append([]string{from}, rest...)
			}
		}
	}
	return nil
}

// closure collects the nodes reachable over normal edges. step orients each edge.
func (g *Graph) closure(id string, step func(Edge) (from, to string)) []string {
	reached := map[string]bool{}
	for todo := []string{id}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, e := range g.edges {
			if from, to := step(e); e.Type == Normal && from == at && !reached[to] {
				reached[to] = true
				todo = append(todo, to)
			}
		}
	}
	var ordered []string
	for _, n := range g.nodes {
		if reached[n.ID] {
			ordered = append(ordered, n.ID)
		}
	}
	return ordered
}
