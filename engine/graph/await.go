package graph

import "slices"

// await makes a pending node wait for others, besides its edges.
func (g *Graph) await(id string, others []string) {
	if len(others) == 0 {
		return
	}
	if g.waits == nil {
		g.waits = map[string][]string{}
	}
	g.waits[id] = append(g.waits[id], others...)
}

// release lets the first pending node that waits for itself over such waits continue, and reports whether there was one. It is called
// when nothing else can continue, so that it does not depend on the order in which the nodes came to wait.
func (g *Graph) release() bool {
	for _, n := range g.nodes {
		if n.Status != Pending || !g.waitsForItself(n.ID) {
			continue
		}
		delete(g.waits, n.ID)
		return true
	}
	return false
}

func (g *Graph) waitsForItself(id string) bool {
	seen := []string{}
	for todo := slices.Clone(g.waits[id]); len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if at == id {
			return true
		}
		if slices.Contains(seen, at) {
			continue
		}
		seen = append(seen, at)
		todo = append(todo, g.unsatisfied(at)...)
	}
	return false
}
