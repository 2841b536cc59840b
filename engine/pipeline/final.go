package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/internal/lazyregexp"
)

// The kinds of nodes of a final review, in addition to that of its conclusion.
const (
	kindGather = "gather"
	kindLens   = "lens"
)

// final is the state of a final review. Gather sets shown and beside, and each lens its own view; Conclude reads all of them.
type final struct {
	shown  exhibit
	beside []prompt.Section
	views  []view // of the lenses, in their order
}

// view is what a lens answered.
type view struct {
	remarks []remark
	note    string // which of them were left out
	unseen  string // what of the change it was not shown
	fault   string // why there is no answer; empty if there is one
}

// Graph returns the nodes of a final review: what is reviewed, the lenses, which see the same and not each other, and their conclusion.
//
//	gather ─► {contracts/review, failures/review, clarity/review} ─► review
func (r *reviews) Graph(kind string) (g graph.Growth) {
	r.final.views = make([]view, len(lenses()))
	g.Nodes = []graph.Node{{ID: kindGather, Kind: kindGather}}
	for _, l := range lenses() {
		g.Nodes = append(g.Nodes, graph.Node{ID: l.node(), Kind: kindLens})
		g.Edges = append(g.Edges,
			graph.Edge{From: kindGather, To: l.node(), Type: graph.Normal}, graph.Edge{From: l.node(), To: work.NodeReview, Type: graph.Normal})
	}
	g.Nodes = append(g.Nodes, graph.Node{ID: work.NodeReview, Kind: kind})
	return g
}

// node returns the id of a lens's node; the reviewer's role chooses its model.
func (l lens) node() string { return l.Name + "/" + work.NodeReview }

// Gather reads what is reviewed, once for all lenses.
func (r *reviews) Gather(ctx context.Context, n graph.Node) graph.Outcome {
	show, ending, err := r.exhibit(ctx, n)
	switch {
	case err != nil:
		return work.Failed("read what is to be reviewed", err)
	case ending != nil:
		return *ending
	}
	r.final.shown = show
	if r.final.beside, err = r.prompter.Context(ctx, n, "context", r.run.Folder()); err != nil {
		return work.Failed("gather what belongs to it", err)
	}
	return graph.Outcome{Status: graph.Done}
}

// sightings are a lens's answer.
type sightings struct {
	Summary string   `json:"summary" jsonschema:"one or two sentences"`
	Issues  []remark `json:"issues"`
}

// issues returns the remarks as issues.
func (s sightings) issues() []judge.Issue {
	all := make([]judge.Issue, len(s.Issues))
	for i, r := range s.Issues {
		all[i] = r.Issue
	}
	return all
}

// Lens asks one lens. An unusable answer fails only this lens: the others continue, and the conclusion reports it.
func (r *reviews) Lens(ctx context.Context, n graph.Node) graph.Outcome {
	at := slices.IndexFunc(lenses(), func(l lens) bool { return l.node() == n.ID })
	if r.run.Finished != "" { // nothing to review
		return graph.Outcome{Status: graph.Done}
	}
	module := work.NewModule(&work.Job{Run: r.run, ID: lenses()[at].Name}, work.DefaultSteps, 0)
	proof := &evidence{files: judge.NewPlacing(ctx, r.run, n, r.run.Folder(), r.final.shown.changes)}
	instructions := fmt.Sprintf(finalInstructions, lenses()[at].focus, judge.IssueRules)
	var sent dialogue.Sent
	said, o := work.Decide(ctx, module.Budget, n, step.Step[sightings]{
		Name: "review", Key: "review", MaxTokens: judge.ReviewTokens, Sent: sent.Keep,
		Document: dialogue.NewPrompter(module, nil).Compose(n.ID, instructions, append(slices.Clip(r.final.beside), r.final.shown.section)...),
		Check:    proof.check,
	})
	switch o.Signal {
	case step.Success:
		r.final.views[at] = proof.view(said, lenses()[at].Name)
		r.final.views[at].unseen = r.final.shown.note(&sent)
	case step.Retryable:
		r.final.views[at].fault = o.Reason
	default:
		return work.Outcome(o, graph.Normal)
	}
	return graph.Outcome{Status: graph.Done, Reason: r.final.views[at].fault}
}

// Conclude makes one report of all answers. With fewer than two there is no agreement, and no report that passes.
func (r *reviews) Conclude(ctx context.Context, n graph.Node) graph.Outcome {
	if r.run.Finished != "" {
		return graph.Outcome{Status: graph.Done, Reason: r.run.Finished}
	}
	var all []remark
	var notes []string
	answered := 0
	for i, v := range r.final.views {
		all = append(all, v.remarks...)
		if v.fault == "" {
			answered++
		} else {
			notes = append(notes, fmt.Sprintf("%s gave no usable answer: %s", lenses()[i].Name, work.OneLine(v.fault)))
		}
		if v.note != "" {
			notes = append(notes, lenses()[i].Name+": "+v.note)
		}
		if v.unseen != "" && !slices.Contains(notes, v.unseen) {
			notes = append(notes, v.unseen)
		}
	}
	if answered < 2 {
		reason := fmt.Sprintf("only %d of %d lenses gave a usable answer, and a final review needs two: %s", answered, len(lenses()), strings.Join(notes, "; "))
		r.report(n, gate.Report{Gate: judge.ReviewName, Verdict: gate.Error, Summary: work.OneLine(reason)})
		return graph.Outcome{Status: graph.Blocked, Reason: reason + ". Run again, or choose another model"}
	}
	findings := agree(all)
	if answered == 2 {
		note, o := r.breakTies(ctx, n, findings)
		if o.Signal != step.Success {
			return work.Outcome(o, graph.Normal)
		}
		notes = append(notes, note...)
	}
	result := finalReport(findings, answered, r.final.shown.files)
	result.Output = strings.Join(notes, "\n")
	r.report(n, result)
	r.run.Finish(result.Summary)
	return graph.Outcome{Status: graph.Done}
}

// ruling is the answer about ties.
type ruling struct {
	Upheld []int  `json:"upheld" jsonschema:"numbers of the errors that are real"`
	Reason string `json:"reason" jsonschema:"one or two sentences"`
}

// breakTies has the errors decided that only one of two lenses reports: with three lenses a majority decides, with two there is none.
// The model of the reviewer's role, which is one for reasoning, decides.
func (r *reviews) breakTies(ctx context.Context, n graph.Node, findings []finding) (notes []string, o step.Outcome) {
	var tied []int
	var text strings.Builder
	for i, f := range findings {
		if !f.MustFix && f.Severity == "error" {
			tied = append(tied, i)
			fmt.Fprintf(&text, "%d. %s\n", len(tied), f.Issue)
		}
	}
	if len(tied) == 0 {
		return nil, step.Outcome{}
	}
	said, o := work.Decide(ctx, r.budget, n, step.Step[ruling]{
		Name: "ruling", Key: "ties", MaxTokens: judge.ReviewTokens,
		Document: r.prompter.Compose(n.ID, tieInstructions, append(slices.Clip(r.final.beside), r.final.shown.section,
			prompt.Section{Kind: prompt.Errors, Name: "Errors that one of two reviewers reports", Text: text.String(), Data: true})...),
		Check: func(said ruling) error {
			if slices.ContainsFunc(said.Upheld, func(i int) bool { return i < 1 || i > len(tied) }) {
				return fmt.Errorf("\"upheld\" names an error that is not listed: there are %d", len(tied))
			}
			return nil
		},
	})
	if o.Signal == step.Retryable { // the rules hold as they are: an error of one lens is advisory
		return []string{"errors that only one of two lenses reports are advisory: " + work.OneLine(o.Reason)}, step.Outcome{}
	}
	for _, number := range said.Upheld {
		findings[tied[number-1]].MustFix = true
	}
	byRank(findings)
	return []string{fmt.Sprintf("%d of %d errors that only one of two lenses reports are upheld: %s", len(said.Upheld), len(tied), work.OneLine(said.Reason))}, o
}

// evidence finds the lines that remarks copy as their evidence. The first answer with evidence that does not exist is sent back; remarks
// that still have none are left out, with a note.
type evidence struct {
	files *judge.Placing
	asked bool     // the model was asked for better evidence
	left  []remark // remarks without evidence
}

func (e *evidence) check(s sightings) error {
	if err := judge.CheckIssues(s.issues()); err != nil {
		return err
	}
	e.left = nil
	var faults []error
	for _, r := range s.Issues {
		at, err := e.line(r)
		if err != nil {
			return err
		}
		if at == 0 {
			e.left, faults = append(e.left, r), append(faults, fmt.Errorf("%s has no line %q: copy the line that shows the issue, or leave the issue out", r.Path, r.Evidence))
		}
	}
	if e.asked {
		return nil
	}
	e.asked = len(faults) > 0
	return errors.Join(faults...)
}

// margin matches what a prompt shows before each line of a file or of a change; lenses copy it with the line.
var margin = lazyregexp.New(`^\s*\d* *[-+]?\| `)

// line returns the line of a remark's evidence that is nearest to where the remark says it is; 0 if there is none.
func (e *evidence) line(r remark) (at int, err error) {
	text, exists, err := e.files.Text(r.Path)
	want, _, _ := strings.Cut(strings.TrimSpace(r.Evidence), "\n")
	want = squeezed(margin.Regexp().ReplaceAllString(want, ""))
	if err != nil || !exists || want == "" {
		return 0, err
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(squeezed(line), want) && (at == 0 || distance(i+1, r.StartLine) < distance(at, r.StartLine)) {
			at = i + 1
		}
	}
	return at, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// squeezed returns a line without differences of white space.
func squeezed(line string) string { return strings.Join(strings.Fields(line), " ") }

// view returns the remarks that have evidence, each where its evidence is: models miscount lines.
func (e *evidence) view(s sightings, lens string) (v view) {
	for _, r := range s.Issues {
		if slices.Contains(e.left, r) {
			continue
		}
		if at, err := e.line(r); err == nil {
			r.StartLine, r.EndLine = at, at
		}
		r.lens = lens
		v.remarks = append(v.remarks, r)
	}
	var notes []string
	for _, r := range e.left {
		notes = append(notes, fmt.Sprintf("an issue was left out, because its evidence is not in %s: %q", r.Path, work.Shorten(r.Evidence, 80)))
	}
	v.note = strings.Join(notes, "; ")
	return v
}
