package pipeline

import (
	"context"

	"forge/engine/graph"
)

// readers are the nodes of the recipes that change nothing: each has one.
var readers = map[Recipe]string{Ask: nodeAnswer, Review: nodeReview, Specify: nodeSpec}

// kindOf is the kind of the node of such a recipe: its name is that of a role, which routes it to a model.
func kindOf(r Recipe) string { return "only " + string(r) }

// readingGraph is the graph of a recipe that changes nothing. There is nothing in it that could write.
func (r *run) readingGraph() *graph.Graph {
	g := &graph.Graph{MaxHops: graph.DefaultMaxHops}
	must(g.AddNode(readers[r.task.Recipe], kindOf(r.task.Recipe)))
	return g
}

func (r *run) read(ctx context.Context, n graph.Node) graph.Outcome {
	switch r.task.Recipe {
	case Ask:
		return r.narrate(ctx, n)
	case Review:
		return r.lookAt(ctx, n)
	default:
		return r.writeSpec(ctx, n)
	}
}
