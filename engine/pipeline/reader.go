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

	answer string // to what was asked for
}

// The recipes that change nothing: their runs have no tree, no gate and no proposal.
const (
	Ask     = mode.Ask            // a question about the folder is answered
	Review  = mode.Review         // code, or what is not committed yet, is looked at
	Specify = work.Recipe("spec") // the specification of the folder is written, or brought up to date
)

// Reads reports whether a recipe changes nothing.
func Reads(r work.Recipe) bool { return readers[r] != "" }

// readers are the nodes of the recipes that change nothing: each has one, whose name is the role that routes it to a model.
var readers = map[work.Recipe]string{Ask: work.NodeAnswer, Review: work.NodeReview, Specify: work.NodeSpec}

// kindOf is the kind of the node of such a recipe.
func kindOf(r work.Recipe) string { return "only " + string(r) }

// readingGraph is the graph of a recipe that changes nothing: there is nothing in it that could write. What a question is about
// is looked for first.
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
