package lsp

import (
	"cmp"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
)

// source is who has found something: a gate or a reviewer, and of which part of a plan; no part is the whole task.
type source struct {
	part string
	name string
}

// compareSources orders by gate, then by part.
func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.part, b.part))
}

// partOf is the part of a plan that a node belongs to: pay of pay/review.
func partOf(node string) string {
	part, _, found := strings.Cut(node, "/")
	if !found {
		return ""
	}
	return part
}

// before are the parts whose work was done when that of a part began. What was found in them is history then: the part's own gates have
// seen what they came to.
func (r *run) before(part string) map[string]bool {
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
		parts[partOf(node)] = true
		for _, earlier := range from[node] {
			walk(earlier)
		}
	}
	for node := range from {
		if partOf(node) == part {
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
