package pipeline

import (
	"context"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
)

// reader carries out requests that change nothing.
type reader struct {
	run       *work.Run
	budget    *work.Budget
	known     *work.Findings
	prompter  *dialogue.Prompter
	reviewer  *reviewer
	specifier *specifier

	answer string // the answer
}

// The recipes that change nothing: their runs have no tree, no gate and no proposal.
const (
	Ask     = mode.Ask            // answers a question about the folder
	Review  = mode.Review         // reviews code, or uncommitted changes
	Specify = work.Recipe("spec") // writes or updates the specification of the folder
)

// Reads reports whether a recipe changes nothing.
func Reads(r work.Recipe) bool { return readers[r] != "" }

// readers are the nodes of the recipes that change nothing: each has one, whose name is the role that chooses its model.
var readers = map[work.Recipe]string{Ask: work.NodeAnswer, Review: work.NodeReview, Specify: work.NodeSpec}

// kindOf returns the kind of the node of such a recipe.
func kindOf(r work.Recipe) string { return "only " + string(r) }

// readingGraph returns the graph of a recipe that changes nothing: no node of it can write. The subject of a question is
// searched first.
func (r *runner) readingGraph() *graph.Graph {
	g := &graph.Graph{MaxHops: r.Hops}
	reader := readers[r.Task.Recipe]
	if r.Task.Recipe == Ask {
		must(g.AddNode(work.NodeExplore, work.NodeExplore))
	}
	must(g.AddNode(reader, kindOf(r.Task.Recipe)))
	if r.Task.Recipe == Ask {
		must(g.AddEdge(work.NodeExplore, reader, graph.Normal))
	}
	return g
}

func (r *reader) readOnly(ctx context.Context, n graph.Node) graph.Outcome {
	switch r.run.Task.Recipe {
	case Ask:
		return r.narrate(ctx, n)
	case Review:
		return r.lookAt(ctx, n)
	default:
		return r.specifier.writeSpec(ctx, n)
	}
}
