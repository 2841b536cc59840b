package runs

import (
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
)

// PartOf is the part of a plan that a node belongs to: pay of pay/review.
func PartOf(node string) string {
	part, _, found := strings.Cut(node, "/")
	if !found {
		return ""
	}
	return part
}

// Before are the parts whose work was done when that of a part began. What was found in them is history then: the part's own gates have
// seen what they came to.
func (r *Run) Before(part string) map[string]bool {
	from := map[string][]string{} // of a node: those that it waits for
	for _, e := range r.Log.Since(0) {
		switch d := e.Data.(type) {
		case event.GraphBuilt:
			link(from, d.Edges)
		case event.GraphGrown:
			link(from, d.Edges)
		}
	}
	parts, seen := map[string]bool{}, map[string]bool{}
	var walk func(node string)
	walk = func(node string) {
		if seen[node] {
			return
		}
		seen[node] = true
		parts[PartOf(node)] = true
		for _, earlier := range from[node] {
			walk(earlier)
		}
	}
	for node := range from {
		if PartOf(node) == part {
			walk(node)
		}
	}
	delete(parts, part)
	return parts
}

func link(from map[string][]string, edges []graph.Edge) {
	for _, e := range edges {
		if e.Type == graph.Normal {
			from[e.To] = append(from[e.To], e.From)
		}
	}
}
