package graph

import "slices"

// byChain sorts nodes by how many nodes are to follow them one after the other, the most first, otherwise in the graph's order. With few
// permits the longest chain decides when the last node ends.
func (g *Graph) byChain(ids []string) []string {
	if len(ids) < 2 {
		return ids
	}
	next := map[string][]string{}
	for _, e := range g.edges {
		if e.Type == Normal {
			next[e.From] = append(next[e.From], e.To)
		}
	}
	known := map[string]int{}
	var chain func(id string) int
	chain = func(id string) int {
		length, is := known[id]
		if is {
			return length
		}
		for _, to := range next[id] {
			length = max(length, 1+chain(to))
		}
		known[id] = length
		return length
	}
	slices.SortStableFunc(ids, func(a, b string) int { return chain(b) - chain(a) })
	return ids
}
