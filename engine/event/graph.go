package event

import "forge/engine/graph"

// GraphBuilt is the run's graph, before any node runs, and the snapshot it works on.
type GraphBuilt struct {
	Base     string       `wire:"base" doc:"id of the snapshot the run works on"`
	Nodes    []graph.Node `wire:"nodes"`
	Edges    []graph.Edge `wire:"edges"`
	Attempts int          `wire:"attempts" doc:"how often a node may be started, at least 1"`
}

// Type returns the name of the event.
func (GraphBuilt) Type() string { return "graph" }

// GraphGrown contains nodes and edges that were added to the run's graph.
type GraphGrown struct {
	Nodes []graph.Node `wire:"nodes"`
	Edges []graph.Edge `wire:"edges"`
}

// Type returns the name of the event.
func (GraphGrown) Type() string { return "graph.grown" }

// NodeChanged is a node with its new status.
type NodeChanged struct {
	Node graph.Node `wire:",inline"`
}

// Type returns the name of the event.
func (NodeChanged) Type() string { return "node" }

// Planned is the plan that the user is asked to approve, or approved in advance.
type Planned struct {
	Parts   []PlannedPart `wire:"parts"`
	Notes   []string      `wire:"notes" doc:"what was corrected in the plan, and what to mind"`
	Minutes int           `wire:"minutes" doc:"about how long it takes"`
}

// Type returns the name of the event.
func (Planned) Type() string { return "planned" }

// PlannedPart is a part of a plan.
type PlannedPart struct {
	ID        string   `wire:"id"`
	Title     string   `wire:"title"`
	Tier      int      `wire:"tier" doc:"from 1; parts of one tier are worked on side by side"`
	Files     []string `wire:"files"`
	DependsOn []string `wire:"dependsOn"`
	Risk      string   `wire:"risk,omitempty" enum:"low,medium,high"` // empty if unknown
}
