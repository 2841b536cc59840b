package repomap

import (
	"math"
	"slices"
)

// The figures of PageRank as it is commonly run (Brin and Page 1998; the defaults of networkx).
const (
	damping       = .85
	tolerance     = 1e-6 // of the change per node
	maxIterations = 100
)

// Link is an edge to a node, with a weight above 0.
type Link struct {
	To     int32
	Weight float32
}

// Graph is a directed graph with weights.
type Graph struct {
	links   [][]Link
	weights []float64 // of all links of a node
}

// NewGraph makes a graph of the links of each node.
func NewGraph(links [][]Link) *Graph {
	g := &Graph{links: links, weights: make([]float64, len(links))}
	for i, out := range links {
		for _, link := range out {
			g.weights[i] += float64(link.Weight)
		}
	}
	return g
}

// PageRank returns how often each node is met by one who follows links at random, a heavy one more often, and who
// starts again, now and then and where there is no way on, at a node drawn by personal. Without any personal weight all
// nodes are equal. The ranks add up to 1. Sums are taken in the order of nodes and links: the same input gives the same bits.
func (g *Graph) PageRank(personal []float64) []float64 {
	start := normalized(personal, len(g.links))
	rank, next := slices.Clone(start), make([]float64, len(start))
	for range maxIterations {
		g.walk(start, rank, next)
		change := 0.0
		for i := range rank {
			change += math.Abs(next[i] - rank[i])
		}
		rank, next = next, rank
		if change < tolerance*float64(len(rank)) {
			break
		}
	}
	return rank
}

// walk makes one step from the ranks to the next ones.
func (g *Graph) walk(start, rank, next []float64) {
	stuck := 0.0
	for i, weight := range g.weights {
		if weight == 0 {
			stuck += rank[i]
		}
	}
	for i := range next {
		next[i] = (1 - damping + damping*stuck) * start[i]
	}
	for from, out := range g.links {
		if rank[from] == 0 || g.weights[from] == 0 {
			continue
		}
		share := damping * rank[from] / g.weights[from]
		for _, link := range out {
			next[link.To] += share * float64(link.Weight)
		}
	}
}

// normalized returns weights that add up to 1: uniform ones if there are none.
func normalized(weights []float64, n int) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	all := make([]float64, n)
	for i := range all {
		if sum > 0 {
			all[i] = weights[i] / sum
		} else {
			all[i] = 1 / float64(n)
		}
	}
	return all
}
