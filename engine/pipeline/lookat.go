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
