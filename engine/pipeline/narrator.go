package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

const narratorInstructions = `You answer a developer's question about a code base. You change nothing, and you propose edits only if asked how
something could be changed. Answer in Markdown, as briefly as the question allows. Cite the source of each statement as
path:line. If the answer depends on code that you were not shown, say so and name the files to look at.`

const narratorTokens = 8192

// narrate answers a question. The answer is streamed to the user.
func (r *reader) narrate(ctx context.Context, n graph.Node) graph.Outcome {
	files, err := r.prompter.Context(ctx, n, "context", r.run.Folder())
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
	r.answer = string(said)
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
