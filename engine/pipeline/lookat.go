package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

const lookInstructions = `You review code for its author, as an experienced colleague would. Look for wrong behaviour, swallowed errors,
broken contracts between callers and callees, data that the wrong party can read or write, and tests that prove
nothing. Do not report matters of taste. You change nothing. Answer with one JSON object:
- "summary": one or two sentences.
- "issues": ` + issueRules + ` An empty list if nothing is wrong: do not invent issues.`

// remarks are what a reviewer says of code that it was shown.
type remarks struct {
	Summary string  `json:"summary" jsonschema:"one or two sentences"`
	Issues  []issue `json:"issues"`
}

// exhibit is what a reviewer looks at.
type exhibit struct {
	section prompt.Section
	changes patch.ChangeSet // that the tree has over the last commit; empty for a selection
	files   int
}

// lookAt has a selection reviewed, or what the user has not committed yet.
func (r *reader) lookAt(ctx context.Context, n graph.Node) graph.Outcome {
	show, ending, err := r.underReview(ctx, n)
	switch {
	case err != nil:
		return failed("read what is to be reviewed", err)
	case ending != nil:
		return *ending
	}
	files, err := r.prompter.context(ctx, n, "context", r.run.base())
	if err != nil {
		return failed("gather what belongs to it", err)
	}
	places := newPlacing(ctx, r.run, n, r.run.base(), show.changes)
	said, o := decide(ctx, r.budget, n, step.Step[remarks]{
		Name: "review", Key: "review", MaxTokens: reviewTokens,
		Document: r.prompter.compose(n.ID, lookInstructions, append(files, show.section)...),
		Check: func(m remarks) error {
			if err := checkIssues(m.Issues); err != nil {
				return err
			}
			return places.check(m.Issues)
		},
	})
	if o.Signal == step.Retryable {
		r.reviewer.reportReview(n, gate.Report{Gate: ReviewName, Verdict: gate.Error, Summary: summarised(o.Reason)})
	}
	if o.Signal != step.Success {
		return outcome(o, graph.Normal)
	}
	issues := places.kept(said.Issues)
	report := reportOn(issues, !grave(issues), said.Summary, show.files)
	report.Output = places.note()
	r.reviewer.reportReview(n, report)
	r.run.finish(summarised(said.Summary))
	return graph.Outcome{Status: graph.Done}
}

// underReview is what is to be looked at. An outcome is the end, where there is nothing.
func (r *reader) underReview(ctx context.Context, n graph.Node) (exhibit, *graph.Outcome, error) {
	if f := r.run.task.Focus; f.Path != "" {
		text, err := r.files(ctx, n, "focus").ReadFile(f.Path)
		if err != nil {
			return exhibit{}, nil, err
		}
		name := "To be reviewed: " + f.Path
		if f.StartLine > 0 {
			name = fmt.Sprintf("%s, lines %d to %d", name, f.StartLine, f.EndLine)
		}
		section := prompt.Section{Kind: prompt.Request, Name: name, Data: true, Text: numbered(string(text), f.StartLine, f.EndLine)}
		return exhibit{section: section, files: 1}, nil, nil
	}
	diff, err := step.ActivityDiff.Call(ctx, r.run.Flow, at(n), "diff", r.run.base())
	switch {
	case err != nil:
		return exhibit{}, nil, err
	case !diff.Known:
		return exhibit{}, &graph.Outcome{Status: graph.Blocked,
			Reason: "this folder has no commit that its files could be compared with: name what is to be reviewed, a file or lines of one"}, nil
	case len(diff.Changes.Files) == 0:
		r.run.finish("there is nothing to review: every file is as the last commit has it")
		r.reviewer.reportReview(n, gate.Report{Gate: ReviewName, Empty: true, Summary: r.run.finished})
		return exhibit{}, &graph.Outcome{Status: graph.Done, Reason: r.run.finished}, nil
	}
	r.run.task.Text += "\n\nFiles that are not committed as they are: " + strings.Join(changedPaths(diff.Changes), ", ")
	section := prompt.Section{Kind: prompt.Request, Name: "To be reviewed: uncommitted changes", Data: true, Cut: 2, Text: reviewable(diff.Changes, 10)}
	return exhibit{section: section, files: len(diff.Changes.Files), changes: diff.Changes}, nil, nil
}
