package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// reader carries out requests that change nothing.
type reader struct {
	run       *work.Run
	budget    *work.Budget
	known     *work.Findings
	prompter  *dialogue.Prompter
	reviews   *reviews
	specifier *specifier

	answer string // the answer
}

// The recipes that change nothing: their runs have no tree, no gate and no proposal.
const (
	Ask     = mode.Ask             // answers a question about the folder
	Review  = mode.Review          // reviews code, or uncommitted changes
	Final   = work.Recipe("final") // reviews all changes of a release, through three lenses
	Plan    = work.Recipe("plan")  // makes a plan, and carries out nothing
	Specify = work.Recipe("spec")  // writes or updates the specification of the folder
)

// Reads reports whether a recipe changes nothing.
func Reads(r work.Recipe) bool { return readers[r] != "" }

// readers are the nodes of the recipes that change nothing: each has one, whose name is the role that chooses its model.
var readers = map[work.Recipe]string{Ask: work.NodeAnswer, Review: work.NodeReview, Final: work.NodeReview, Plan: work.NodePlan, Specify: work.NodeSpec}

// kindOf returns the kind of the node of such a recipe.
func kindOf(r work.Recipe) string { return "only " + string(r) }

// readingGraph returns the graph of a recipe that changes nothing: no node of it can write. The subject of a question is
// searched first.
func (r *runner) readingGraph() *graph.Graph {
	g := &graph.Graph{MaxHops: r.Hops}
	if r.Task.Recipe == Final {
		g.MustGrow(r.reader.reviews.Graph(kindOf(Final)))
		return g
	}
	reader := graph.Node{ID: readers[r.Task.Recipe], Kind: kindOf(r.Task.Recipe)}
	grown := graph.Growth{Nodes: []graph.Node{reader}}
	if r.Task.Recipe == Ask {
		grown = growth([]string{work.NodeExplore}, [2]string{work.NodeExplore, reader.ID})
		grown.Nodes = append(grown.Nodes, reader)
	}
	g.MustGrow(grown)
	return g
}

func (r *reader) readOnly(ctx context.Context, n graph.Node) graph.Outcome {
	switch r.run.Task.Recipe {
	case Ask:
		return r.narrate(ctx, n)
	case Review:
		return r.reviews.Look(ctx, n)
	case Final:
		return r.reviews.Conclude(ctx, n)
	default:
		return r.specifier.writeSpec(ctx, n)
	}
}

const narratorInstructions = `You answer a developer's question about a code base. You change nothing, and you propose edits only if asked how
something could be changed. Answer in Markdown, as briefly as the question allows. Cite the source of each statement as
path:line; the code that you are shown has the numbers of its lines in front. If the answer depends on code that you were not shown, say so and name the files to look at.`

const narratorTokens = 8192

// narrate answers a question. The answer is streamed to the user.
func (r *reader) narrate(ctx context.Context, n graph.Node) graph.Outcome {
	files, err := r.prompter.Numbered(ctx, n, "context", r.run.Folder())
	if err != nil {
		return work.Failed("gather what the question is about", err)
	}
	pointed, err := r.pointedAt(ctx, n)
	if err != nil {
		return work.Failed("read what the question points at", err)
	}
	said, o := work.Decide(ctx, r.budget, n, step.Step[llm.Prose]{
		Name: "answer", Key: "answer", MaxTokens: narratorTokens,
		Document: r.prompter.Compose(n.ID, narratorInstructions, slices.Concat(files, pointed, r.known.Sections())...),
	})
	if o.Signal != step.Success {
		return work.Outcome(o, graph.Normal)
	}
	if r.answer, err = r.checked(ctx, n, string(said)); err != nil {
		return work.Failed("look up what the answer cites", err)
	}
	r.run.Finish("answered")
	r.run.Emit(event.AnswerReady{Text: r.answer})
	return graph.Outcome{Status: graph.Done}
}

// pointedAt shows the lines of the user's focus, with numbers; none for the whole folder. A file that is already in
// the context is only shown again for selected lines.
func (r *reader) pointedAt(ctx context.Context, n graph.Node) ([]prompt.Section, error) {
	f := r.run.Task.Focus
	if f.Path == "" || f.StartLine == 0 {
		return nil, nil
	}
	text, err := r.files(ctx, n, "focus").ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	return []prompt.Section{{Kind: prompt.Request, Name: "The selection", Data: true, Text: dialogue.Numbered(string(text), f.StartLine, f.EndLine)}}, nil
}

// files returns a reader of the folder as it was when the run began. name is its purpose.
func (r *reader) files(ctx context.Context, n graph.Node, name string) step.Reader {
	return step.Reader{Ctx: ctx, Flow: r.run.Flow, At: work.At(n), Name: name, State: r.run.Folder()}
}
