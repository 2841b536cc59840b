package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
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

const lookInstructions = `You review code for its author, as an experienced colleague would. Look for wrong behaviour, swallowed errors,
broken contracts between callers and callees, data that the wrong party can read or write, and tests that prove
nothing. Do not report matters of taste. You change nothing. Answer with one JSON object:
- "summary": one or two sentences.
- "issues": ` + judge.IssueRules + ` An empty list if nothing is wrong: do not invent issues.`

// remarks are a reviewer's opinion on code.
type remarks struct {
	Summary string        `json:"summary" jsonschema:"one or two sentences"`
	Issues  []judge.Issue `json:"issues"`
}

// exhibit is what a reviewer examines.
type exhibit struct {
	section prompt.Section
	changes patch.ChangeSet // difference from the last commit; empty for a selection
	files   int
}

// lookAt has a selection, or the uncommitted changes, reviewed.
func (r *reader) lookAt(ctx context.Context, n graph.Node) graph.Outcome {
	show, ending, err := r.underReview(ctx, n)
	switch {
	case err != nil:
		return work.Failed("read what is to be reviewed", err)
	case ending != nil:
		return *ending
	}
	files, err := r.prompter.Context(ctx, n, "context", r.run.Folder())
	if err != nil {
		return work.Failed("gather what belongs to it", err)
	}
	places := judge.NewPlacing(ctx, r.run, n, r.run.Folder(), show.changes)
	said, o := work.Decide(ctx, r.budget, n, step.Step[remarks]{
		Name: "review", Key: "review", MaxTokens: reviewTokens,
		Document: r.prompter.Compose(n.ID, lookInstructions, append(files, show.section)...),
		Check: func(m remarks) error {
			if err := judge.CheckIssues(m.Issues); err != nil {
				return err
			}
			return places.Check(m.Issues)
		},
	})
	if o.Signal == step.Retryable {
		r.reviewer.reportReview(n, gate.Report{Gate: judge.ReviewName, Verdict: gate.Error, Summary: work.OneLine(o.Reason)})
	}
	if o.Signal != step.Success {
		return work.Outcome(o, graph.Normal)
	}
	issues := places.Kept(said.Issues)
	report := judge.ReportOn(issues, !judge.Grave(issues), said.Summary, show.files)
	report.Output = places.Note()
	r.reviewer.reportReview(n, report)
	r.run.Finish(work.OneLine(said.Summary))
	return graph.Outcome{Status: graph.Done}
}

// underReview returns what to review. Without anything, the outcome is the end.
func (r *reader) underReview(ctx context.Context, n graph.Node) (exhibit, *graph.Outcome, error) {
	if f := r.run.Task.Focus; f.Path != "" {
		text, err := r.files(ctx, n, "focus").ReadFile(f.Path)
		if err != nil {
			return exhibit{}, nil, err
		}
		name := "To be reviewed: " + f.Path
		if f.StartLine > 0 {
			name = fmt.Sprintf("%s, lines %d to %d", name, f.StartLine, f.EndLine)
		}
		section := prompt.Section{Kind: prompt.Request, Name: name, Data: true, Text: dialogue.Numbered(string(text), f.StartLine, f.EndLine)}
		return exhibit{section: section, files: 1}, nil, nil
	}
	diff, err := step.ActivityDiff.Call(ctx, r.run.Flow, work.At(n), "diff", r.run.Folder())
	switch {
	case err != nil:
		return exhibit{}, nil, err
	case !diff.Known:
		return exhibit{}, &graph.Outcome{Status: graph.Blocked,
			Reason: "this folder has no commit that its files could be compared with: name what is to be reviewed, a file or lines of one"}, nil
	case len(diff.Changes.Files) == 0:
		r.run.Finish("there is nothing to review: every file is as the last commit has it")
		r.reviewer.reportReview(n, gate.Report{Gate: judge.ReviewName, Empty: true, Summary: r.run.Finished})
		return exhibit{}, &graph.Outcome{Status: graph.Done, Reason: r.run.Finished}, nil
	}
	r.run.Task.Text += "\n\nFiles that are not committed as they are: " + strings.Join(work.ChangedPaths(diff.Changes), ", ")
	section := prompt.Section{Kind: prompt.Request, Name: "To be reviewed: uncommitted changes", Data: true, Cut: 2, Text: dialogue.Reviewable(diff.Changes, 10)}
	return exhibit{section: section, files: len(diff.Changes.Files), changes: diff.Changes}, nil, nil
}
