package module

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// reviewer decides on the change of an attempt: by gates, and if these pass, by the opinion of a model.
type reviewer struct {
	*work.Module
	gates     *judge.Gates
	checker   *judge.Checker
	promises  *judge.Promises
	joiner    *judge.Joiner
	prompter  *dialogue.Prompter
	diagnosis *diagnosis

	reports []gate.Report // reports of gates that decide
	opinion *gate.Report  // the model's last opinion; nil if none was asked
}

const reviewInstructions = `You review a change to a code base against the request. The results of compilers and tests are shown, and no required
check failed. Look for missing or wrong behaviour, violations of the specification, swallowed errors, and tests that
prove nothing. Do not report matters of taste. Answer with one JSON object:
- "pass": true if the change can be offered as it is.
- "reason": one or two sentences.
- "issues": ` + judge.IssueRules + ` A change with an issue of severity "error" does not pass.
- "unmet": what the plan demands of this change, if it is a part of one, and the change does not have; otherwise empty.`

// partReviewInstructions follow the reviewer's instructions for a part of a plan: they add errors that show only when the parts are joined.
const partReviewInstructions = `
The change is one part of a plan. Anything that breaks an agreement with other parts is an error too: names, signatures,
types or formats that differ from the plan or from other parts; a value that is read before it is set; a field that is
written under one name and read under another.
The change is done only if what the part says under "Done when", and everything that is "to be shown", holds. Check each of them.
List in "unmet" those that do not hold, each with what is missing; then the change does not pass. A command that was not run
is no reason: judge by the gates and the tests whether what it would show holds. A part may change files that no part has.`

// review runs every gate, and only if all that decide pass, asks the model for its opinion of the diff. An unreadable opinion is
// never a pass.
func (rv *reviewer) review(ctx context.Context, n graph.Node) graph.Outcome {
	rv.promises.Renew()
	if err := rv.measure(ctx, n); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	if o := rv.gates.AskAboutTests(ctx, n, rv.Questions); o.Status != graph.Done {
		return o
	}
	rv.reports = rv.promises.WithSilenced(n, rv.joiner.WithIntegration(n, rv.promises.WithHeld(n, rv.checker.Charged())))
	rv.gradeDraft()
	if !gate.Open(rv.reports) {
		return rv.closed(ctx, n)
	}
	theirs, o := rv.promises.KeepExistingTests(ctx, n)
	rv.reports = append(slices.Clip(rv.reports), theirs...)
	if o.Signal != step.Success {
		return rv.notKept(ctx, n, o)
	}
	verified, o := rv.verify(ctx, n)
	rv.reports = append(slices.Clip(rv.reports), verified...)
	rv.gradeDraft()
	switch {
	case o.Signal != step.Success:
		return work.Outcome(o, graph.Normal)
	case !gate.Open(verified):
		return rv.closed(ctx, n)
	}
	if rv.Job.Joins && !rv.Job.Whole() { // its parts were reviewed, and the whole will be reviewed
		return rv.accept(ctx, n)
	}
	return rv.decideOpen(ctx, n)
}

// decideOpen decides on a change that the gates accept: by the opinion of a model, unless the user disabled it.
func (rv *reviewer) decideOpen(ctx context.Context, n graph.Node) graph.Outcome {
	if rv.Run.Task.NoReview {
		rv.reportReview(n, gate.Report{Gate: judge.ReviewName, Summary: notAsked})
		return rv.checker.Verified(ctx, n, rv.reports, graph.Outcome{Status: graph.Done, Reason: notAsked})
	}
	if said := rv.History.RefusedBefore(); said != "" {
		return rv.sendBack(ctx, n, slices.Concat(rv.reports, []gate.Report{work.FaultReport(work.NodeReview, said)}), "the reviewer does not accept the change: "+said)
	}
	view, o := rv.askReviewer(ctx, n)
	switch {
	case o.Signal == step.Retryable:
		rv.reportReview(n, gate.Report{Gate: judge.ReviewName, Verdict: gate.Error, Summary: work.OneLine(o.Reason)})
		return graph.Outcome{Status: graph.Blocked, Reason: "the review ended in an error, which is not a pass: " + o.Reason + ". Run again, or choose another model"}
	case o.Signal != step.Success:
		return work.Outcome(o, graph.Normal)
	case view.Holds():
		return rv.accept(ctx, n)
	}
	if slices.ContainsFunc(view.Against(), func(i judge.Issue) bool { return rv.Tests.InTests(i.Path, i.StartLine) }) {
		rv.Tests.Blame(true, true)
	}
	said := work.FaultReport(work.NodeReview, view.Reason, view.Findings()...)
	return rv.sendBack(ctx, n, slices.Concat(work.Deciding(rv.reports), []gate.Report{said}), "the reviewer does not accept the change: "+view.String())
}

// notAsked is why a change was not reviewed.
const notAsked = "the reviewer was not asked: a rename or a replacement needs none, or your settings say completion.requireReview: false"

// closed returns the outcome of gates that did not pass. A failure goes back to the executor; a gate
// that could not run waits for the user.
func (rv *reviewer) closed(ctx context.Context, n graph.Node) graph.Outcome {
	for _, report := range rv.reports {
		if report.Verdict == gate.NotRun && report.Decides() {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s did not run, which is not a pass: %s", report.Gate, report.Summary)}
		}
	}
	rv.Tests.Blame(rv.onlyTestsAtFault(), false)
	shut := slices.DeleteFunc(work.Deciding(rv.reports), func(report gate.Report) bool { return report.Verdict == gate.Pass })
	return rv.sendBack(ctx, n, work.Deciding(rv.reports), work.Describe(shut))
}

// notKept returns the outcome of a change that breaks passing tests.
func (rv *reviewer) notKept(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal != step.Retryable {
		return work.Outcome(o, graph.Normal)
	}
	reports := work.Deciding(rv.reports)
	if at := slices.IndexFunc(reports, func(r gate.Report) bool { return r.Gate == integrity.RuleRegression }); at >= 0 {
		reports[at].Summary = o.Reason // its findings are listed already
	} else {
		reports = append(reports, work.FaultReport(integrity.RuleRegression, o.Reason))
	}
	return rv.sendBack(ctx, n, reports, o.Reason)
}

// onlyTestsAtFault reports whether the tests pass and every other finding is in a test file of this
// run, such as an unformatted one.
func (rv *reviewer) onlyTestsAtFault() bool {
	found := false
	for _, report := range rv.reports {
		if report.Verdict == gate.Pass || !report.Decides() {
			continue
		}
		for _, f := range report.Findings {
			if f.Test != "" || f.Inferred || !rv.Tests.InTests(f.Path, f.Line) {
				return false
			}
			found = true
		}
	}
	return found
}

// accept ends the module with its change.
func (rv *reviewer) accept(ctx context.Context, n graph.Node) graph.Outcome {
	rv.promises.NameNew()
	if err := rv.diagnosis.judge(ctx, n, "", work.Deciding(rv.reports)); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	return rv.checker.Verified(ctx, n, rv.reports, graph.Outcome{Status: graph.Done})
}

// sendBack has the change rewritten, if attempts are left.
func (rv *reviewer) sendBack(ctx context.Context, n graph.Node, reports []gate.Report, reason string) graph.Outcome {
	if err := rv.diagnosis.judge(ctx, n, reason, reports); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	if rv.LastAttempt() {
		rv.History.UseUp()
		return graph.Outcome{Status: graph.Failed, Reason: rv.Now.GaveUp(reason)}
	}
	if end, ends := rv.History.EndRepeat(n, reason); ends {
		return end
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason, Lane: graph.ReviewFail}
}

// opinion is the reviewer's answer.
type opinion struct {
	judge.Opinion
	Requests []dialogue.Glance `json:"requests,omitempty" jsonschema:"what to see first; normally empty"`
}

// askReviewer asks for the opinion of the change, and of a large one part by part: it holds if each part does.
func (rv *reviewer) askReviewer(ctx context.Context, n graph.Node) (whole judge.Opinion, o step.Outcome) {
	parts, unseen := dialogue.ReviewParts(rv.Now.ToReview(), 10, dialogue.MostReviewed(rv.Run.Env.Env))
	notes := []string{unseen}
	for i, text := range parts {
		view, note, o := rv.askAbout(ctx, n, i, text)
		if o.Signal != step.Success {
			return view, o
		}
		if i == 0 {
			whole = view
		} else {
			whole = whole.With(view)
		}
		notes = append(notes, note)
	}
	report := judge.ReportOn(whole.Issues, whole.Holds(), whole.Reason, len(rv.Now.ToReview().Files))
	report.Findings = append(report.Findings, whole.UnmetFindings()...)
	report.Output = dialogue.Notes(notes...)
	rv.reportReview(n, report)
	return whole, step.Outcome{}
}

// askAbout asks for the opinion of a part of the change, by its number from 0. note states which issues were left out, and whether the
// model was not shown all of it.
func (rv *reviewer) askAbout(ctx context.Context, n graph.Node, part int, text string) (view judge.Opinion, note string, o step.Outcome) {
	change := prompt.Section{Kind: prompt.Errors, Name: "The change", Text: text, Data: true, Cut: 2}
	sections := append(rv.Run.Specification(), change,
		prompt.Section{Kind: prompt.Errors, Name: "Gates", Text: work.Describe(rv.reports), Data: true, Cut: 1})
	sections = slices.Concat(sections, rv.Tests.Agreements(), rv.Now.Doubts(), judge.Silences(rv.reports))
	places := judge.NewPlacing(ctx, rv.Run, n, rv.Now.Tree, rv.Now.ToReview())
	adviser := dialogue.NewAdviser(rv.Module, agent.Reviewer, rv.Now.Tree)
	var sent dialogue.Sent
	said, o := dialogue.Answer(ctx, adviser, n, step.Step[opinion]{
		Name: "review", Key: partKey(part), MaxTokens: judge.ReviewTokens, Sent: sent.Keep,
		Document: rv.prompter.Compose(n.ID, rv.instructions()+adviser.Rules(), sections...),
		Check: func(o opinion) error {
			if err := o.Check(); err != nil {
				return err
			}
			return places.Check(o.Issues)
		},
	}, func(o opinion) []dialogue.Glance { return o.Requests }, func(s step.Step[opinion]) (opinion, step.Outcome) {
		return work.Decide(ctx, rv.Budget, n, s)
	})
	view = said.Opinion
	view.Issues = places.Kept(view.Issues)
	return view, dialogue.Notes(places.Note(), sent.CutNote(change)), o
}

// partKey is the key of the step that reviews a part of the change.
func partKey(part int) string {
	if part == 0 {
		return "review"
	}
	return fmt.Sprintf("review/part %d", part+1)
}

func reviewed(n graph.Node, report gate.Report) event.Reviewed {
	return event.ReviewOf(n.ID, n.Attempt, report)
}

// measure runs the gates on the result of the attempt. If a single part was joined, its reports apply.
func (rv *reviewer) measure(ctx context.Context, n graph.Node) error {
	if rv.Job.Joins && n.Attempt == 1 && len(rv.Job.After) == 1 {
		rv.checker.Take(n, rv.Job.After[0].Now.Checked)
	} else if err := rv.promises.CheckBeside(ctx, n); err != nil {
		return err
	}
	if rv.Run.Whole && rv.Job.Whole() {
		if err := rv.checker.CheckWhole(ctx, n); err != nil {
			return err
		}
	}
	if !rv.Job.Joins {
		return nil
	}
	return rv.joiner.Together(ctx, n)
}

// gradeDraft records the gates' decision on the current draft.
func (rv *reviewer) gradeDraft() {
	if d := rv.History.DraftOf(rv.Now.Number); d != nil {
		d.Checked = rv.reports
	}
}

// reportReview reports and keeps the result of a review.
func (rv *reviewer) reportReview(n graph.Node, report gate.Report) {
	rv.opinion = &report
	rv.Run.Emit(reviewed(n, report))
}

func (rv *reviewer) instructions() string {
	if rv.Job.Part != nil {
		return reviewInstructions + partReviewInstructions
	}
	return reviewInstructions
}
