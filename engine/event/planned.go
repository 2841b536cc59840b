package event

import "forge/engine/graph"

// Planned tells the plan that a person is asked about, or that was approved beforehand.
type Planned struct {
	Parts   []PlannedPart
	Notes   []string // for people: what was mended, and what to mind
	Minutes int      // about how long it takes
}

// PlannedPart is a part of a plan.
type PlannedPart struct {
	ID        string
	Title     string
	Tier      int // from 1; parts of one tier are worked on side by side
	Files     []string
	DependsOn []string
	Risk      string // low, medium or high; empty where it is not known
}

// GraphGrown tells nodes and edges that were added to the run's graph.
type GraphGrown struct {
	Nodes []graph.Node
	Edges []graph.Edge
}
