package pipeline

import (
	"context"

	"forge/engine/graph"
	"forge/engine/mode"
)

// reader carries out requests that change nothing.
type reader struct {
	run       *run
	budget    *budget
	known     *known
	prompter  *prompter
	reviewer  *reviewer
	specifier *specifier

	answer string // to what was asked for
}

// The recipes that change nothing: their runs have no tree, no gate and no proposal.
const (
	Ask     = mode.Ask       // a question about the folder is answered
	Review  = mode.Review    // code, or what is not committed yet, is looked at
	Specify = Recipe("spec") // the specification of the folder is written, or brought up to date
)

// Reads reports whether a recipe changes nothing.
func Reads(r Recipe) bool { return readers[r] != "" }

// readers are the nodes of the recipes that change nothing: each has one, whose name is the role that routes it to a model.
var readers = map[Recipe]string{Ask: nodeAnswer, Review: nodeReview, Specify: nodeSpec}

// kindOf is the kind of the node of such a recipe.
func kindOf(r Recipe) string { return "only " + string(r) }

// readingGraph is the graph of a recipe that changes nothing: there is nothing in it that could write. What a question is about
// is looked for first.
func (r *runner) readingGraph() *graph.Graph {
	g := &graph.Graph{MaxHops: r.Hops}
	reader := readers[r.task.Recipe]
	if r.task.Recipe == Ask {
		must(g.AddNode(nodeExplore, nodeExplore))
	}
	must(g.AddNode(reader, kindOf(r.task.Recipe)))
	if r.task.Recipe == Ask {
		must(g.AddEdge(nodeExplore, reader, graph.Normal))
	}
	return g
}

func (r *reader) readOnly(ctx context.Context, n graph.Node) graph.Outcome {
	switch r.run.task.Recipe {
	case Ask:
		return r.narrate(ctx, n)
	case Review:
		return r.lookAt(ctx, n)
	default:
		return r.specifier.writeSpec(ctx, n)
	}
}
