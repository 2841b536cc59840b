package graph

// Queries that tests make on a graph, and a run never does.

// Node returns a copy of a node, and whether there is one of that id.
func (g *Graph) Node(id string) (Node, bool) {
	if n := g.find(id); n != nil {
		return *n, true
	}
	return Node{}, false
}

// Ancestors returns every node the given one waits for, directly or not, in the graph's order.
func (g *Graph) Ancestors(id string) []string {
	return g.closure(id, func(e Edge) (string, string) { return e.To, e.From })
}

// Hops returns how often lanes to a node have been followed.
func (g *Graph) Hops(to string) int { return g.hops[to] }
