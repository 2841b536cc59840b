package api

import "forge/engine/event"

// Planned is the payload of planned: the plan that a person is asked about, or that was approved beforehand.
type Planned struct {
	Parts   []PlannedPart `json:"parts"`
	Notes   []string      `json:"notes" doc:"what was mended, and what to mind"`
	Minutes int           `json:"minutes" doc:"about how long it takes"`
}

// PlannedPart is part of planned.
type PlannedPart struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Tier      int      `json:"tier" doc:"from 1; parts of one tier are worked on side by side"`
	Files     []string `json:"files"`
	DependsOn []string `json:"dependsOn"`
	Risk      string   `json:"risk,omitempty" enum:"low,medium,high"`
}

// GraphGrown is the payload of graph.grown: what was added to the graph of the run.
type GraphGrown struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// graphDataOf is dataOf of what is told of the graph, and of plans, which add to it.
func graphDataOf(d event.Data) any {
	switch d := d.(type) {
	case event.GraphBuilt:
		return graphOf(d)
	case event.NodeChanged:
		return nodeOf(d.Node)
	case event.Planned:
		return plannedOf(d)
	case event.GraphGrown:
		grown := graphOf(event.GraphBuilt{Nodes: d.Nodes, Edges: d.Edges})
		return GraphGrown{Nodes: grown.Nodes, Edges: grown.Edges}
	default:
		return nil
	}
}

func plannedOf(p event.Planned) Planned {
	wire := Planned{Parts: make([]PlannedPart, 0, len(p.Parts)), Notes: listOf(p.Notes), Minutes: p.Minutes}
	for _, part := range p.Parts {
		part.Files, part.DependsOn = listOf(part.Files), listOf(part.DependsOn)
		wire.Parts = append(wire.Parts, PlannedPart(part))
	}
	return wire
}
