package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// reviews review code that exists, in runs that change nothing: a file, some lines, uncommitted changes, or before a release all changes since a
// commit.
//
//	Look:  exhibit ─► one reviewer ─► report
//	Final: Gather ─► three lenses, at the same time ─► Conclude: agree ─► report
//
// Invariant: an unreadable answer is never a pass, and an issue whose place or evidence does not exist is left out, with a note.
type reviews struct {
	run      *work.Run
	budget   *work.Budget
	prompter *dialogue.Prompter
	report   func(graph.Node, gate.Report) // reports and keeps the result
	final    final
}

// newReviews returns the reviews of a run. report gets each result.
func newReviews(r *work.Run, b *work.Budget, p *dialogue.Prompter, report func(graph.Node, gate.Report)) *reviews {
	return &reviews{run: r, budget: b, prompter: p, report: report}
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
	changes patch.ChangeSet // difference from the commit; empty for a selection
	files   int
	unseen  string // what of it is not shown; empty if all is
}

// note returns what of it a request did not show; empty if it showed all.
func (e exhibit) note(sent *dialogue.Sent) string {
	return dialogue.Notes(e.unseen, sent.CutNote(e.section))
}

// Look has a selection, or the uncommitted changes, reviewed.
func (r *reviews) Look(ctx context.Context, n graph.Node) graph.Outcome {
	show, ending, err := r.exhibit(ctx, n)
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
	var sent dialogue.Sent
	said, o := work.Decide(ctx, r.budget, n, step.Step[remarks]{
		Name: "review", Key: "review", MaxTokens: judge.ReviewTokens, Sent: sent.Keep,
		Document: r.prompter.Compose(n.ID, lookInstructions, append(files, show.section)...),
		Check: func(m remarks) error {
			if err := judge.CheckIssues(m.Issues); err != nil {
				return err
			}
			return places.Check(m.Issues)
		},
	})
	if o.Signal == step.Retryable {
		r.report(n, gate.Report{Gate: judge.ReviewName, Verdict: gate.Error, Summary: work.OneLine(o.Reason)})
	}
	if o.Signal != step.Success {
		return work.Outcome(o, graph.Normal)
	}
	issues := places.Kept(said.Issues)
	report := judge.ReportOn(issues, !judge.Grave(issues), said.Summary, show.files)
	report.Output = dialogue.Notes(places.Note(), show.note(&sent))
	r.report(n, report)
	r.run.Finish(work.OneLine(said.Summary))
	return graph.Outcome{Status: graph.Done}
}

// exhibit returns what to review. Without anything, the outcome is the end.
func (r *reviews) exhibit(ctx context.Context, n graph.Node) (exhibit, *graph.Outcome, error) {
	f := r.run.Task.Focus
	if f.Path == "" {
		return r.changed(ctx, n)
	}
	files := step.Reader{Ctx: ctx, Flow: r.run.Flow, At: work.At(n), Name: "focus", State: r.run.Folder()}
	text, err := files.ReadFile(f.Path)
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

// changed returns the changes since the commit that the task names, or the one that is checked out.
func (r *reviews) changed(ctx context.Context, n graph.Node) (exhibit, *graph.Outcome, error) {
	since := r.run.Task.Focus.Since
	diff, err := step.ActivityDiff.Call(ctx, r.run.Flow, work.At(n), "diff", step.DiffCall{State: r.run.Folder(), Since: since})
	switch {
	case err != nil:
		return exhibit{}, nil, err
	case !diff.Known && since != "":
		return exhibit{}, &graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s names no commit of this folder: name a branch, a tag or the id of a commit", since)}, nil
	case !diff.Known:
		return exhibit{}, &graph.Outcome{Status: graph.Blocked,
			Reason: "this folder has no commit that its files could be compared with: name what is to be reviewed, a file or lines of one"}, nil
	case len(diff.Changes.Files) == 0:
		r.run.Finish("there is nothing to review: every file is as " + commit(since) + " has it")
		r.report(n, gate.Report{Gate: judge.ReviewName, Empty: true, Summary: r.run.Finished})
		return exhibit{}, &graph.Outcome{Status: graph.Done, Reason: r.run.Finished}, nil
	}
	about, name := "Files that are not committed as they are: ", "To be reviewed: uncommitted changes"
	if since != "" {
		about, name = "Files that differ from "+since+": ", "To be reviewed: all changes since "+since
	}
	r.run.Task.Text += "\n\n" + about + strings.Join(work.ChangedPaths(diff.Changes), ", ")
	text, unseen := dialogue.Reviewable(diff.Changes, 10, dialogue.MostReviewed(r.run.Env.Env))
	section := prompt.Section{Kind: prompt.Request, Name: name, Data: true, Cut: 2, Text: text}
	return exhibit{section: section, files: len(diff.Changes.Files), changes: diff.Changes, unseen: unseen}, nil, nil
}

func commit(since string) string {
	if since == "" {
		return "the last commit"
	}
	return since
}
