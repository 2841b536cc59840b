package editor

import (
	"strings"

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
// seen their results.
func (r *Run) Before(part string) map[string]bool {
	from := map[string][]string{} // of a node: those that it waits for
	for _, e := range r.Standing().Edges {
		if e.Type == graph.Normal {
			from[e.To] = append(from[e.To], e.From)
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
