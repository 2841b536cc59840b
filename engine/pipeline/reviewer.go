package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
)

// reviewer decides on the change of an attempt: by gates, and where these are open by the opinion of a model.
type reviewer struct {
	*unit
	checker   *checker
	promises  *promises
	joiner    *joiner
	prompter  *prompter
	diagnosis *diagnosis

	reports []gate.Report // what gates said that decides
	opinion *gate.Report  // what the model said last; nil where none was asked
}

const reviewInstructions = `You review a change to a code base against the request. The results of compilers and tests are shown, and no required
check failed. Look for missing or wrong behaviour, violations of the specification, swallowed errors, and tests that
prove nothing. Do not report matters of taste. Answer with one JSON object:
- "pass": true if the change can be offered as it is.
- "reason": one or two sentences.
- "issues": ` + issueRules + ` A change with an issue of severity "error" does not pass.`

// An error of a part, beside that: such faults show only once the parts are put together, or not before they are used.
const partReviewInstructions = `
The change is one part of a plan. Anything that breaks an agreement with other parts is an error too: names, signatures,
types or formats that differ from the plan or from other parts; a value that is read before it is set; a field that is
written under one name and read under another.`

const reviewTokens = 4096

// review runs every gate, and only where all that decide are open asks the model for its opinion of the diff. An opinion that cannot be
// read is never a pass.
func (rv *reviewer) review(ctx context.Context, n graph.Node) graph.Outcome {
	if err := rv.measure(ctx, n); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	rv.reports = rv.promises.withSilenced(n, rv.joiner.withIntegration(n, rv.promises.withHeld(n, rv.checker.charged())))
	rv.gradeDraft()
	if !gate.Open(rv.reports) {
		return rv.closed(ctx, n)
	}
	theirs, o := rv.promises.keepTheirs(ctx, n)
	rv.reports = append(slices.Clip(rv.reports), theirs...)
	if o.Signal != step.Success {
		return rv.notKept(ctx, n, o)
	}
	if rv.job.joins && !rv.job.whole() { // its parts were reviewed, and the whole will be
		return rv.accept(ctx, n)
	}
	return rv.decideOpen(ctx, n)
}

// decideOpen decides on a change that gates have nothing against: by the opinion of a model, unless the user wants none.
func (rv *reviewer) decideOpen(ctx context.Context, n graph.Node) graph.Outcome {
	if rv.run.task.NoReview {
		rv.reportReview(n, gate.Report{Gate: ReviewName, Summary: notAsked})
		return rv.checker.verified(ctx, n, rv.reports, graph.Outcome{Status: graph.Done, Reason: notAsked})
	}
	if said := rv.history.refusedBefore(); said != "" {
		return rv.sendBack(ctx, n, slices.Concat(rv.reports, []gate.Report{faultReport(nodeReview, said)}), "the reviewer does not accept the change: "+said)
	}
	view, o := rv.askReviewer(ctx, n)
	switch {
	case o.Signal == step.Retryable:
		rv.reportReview(n, gate.Report{Gate: ReviewName, Verdict: gate.Error, Summary: summarised(o.Reason)})
		return graph.Outcome{Status: graph.Blocked, Reason: "the review ended in an error, which is not a pass: " + o.Reason + ". Run again, or choose another model"}
	case o.Signal != step.Success:
		return outcome(o, graph.Normal)
	case view.holds():
		return rv.accept(ctx, n)
	}
	for _, i := range view.Issues {
		if rv.tested.inTests(i.Path, i.StartLine) {
			rv.tested.blame(true)
		}
	}
	said := faultReport(nodeReview, view.Reason, view.findings()...)
	return rv.sendBack(ctx, n, slices.Concat(deciding(rv.reports), []gate.Report{said}), "the reviewer does not accept the change: "+view.String())
}

// notAsked says why a change was not reviewed.
const notAsked = "the reviewer was not asked: your settings say completion.requireReview: false"

// closed is the outcome of gates that did not open. What failed goes back to the executor; what could
// not run waits for the user.
func (rv *reviewer) closed(ctx context.Context, n graph.Node) graph.Outcome {
	for _, report := range rv.reports {
		if report.Verdict == gate.NotRun && report.Decides() {
			return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("%s did not run, which is not a pass: %s", report.Gate, report.Summary)}
		}
	}
	rv.tested.blame(rv.onlyTestsAtFault())
	shut := slices.DeleteFunc(deciding(rv.reports), func(report gate.Report) bool { return report.Verdict == gate.Pass })
	return rv.sendBack(ctx, n, deciding(rv.reports), describe(shut))
}

// notKept is the outcome of a change that makes tests fail which passed.
func (rv *reviewer) notKept(ctx context.Context, n graph.Node, o step.Outcome) graph.Outcome {
	if o.Signal != step.Retryable {
		return outcome(o, graph.Normal)
	}
	reports := deciding(rv.reports)
	if at := slices.IndexFunc(reports, func(r gate.Report) bool { return r.Gate == integrity.RuleRegression }); at >= 0 {
		reports[at].Summary = o.Reason // its findings are listed already
	} else {
		reports = append(reports, faultReport(integrity.RuleRegression, o.Reason))
	}
	return rv.sendBack(ctx, n, reports, o.Reason)
}

// onlyTestsAtFault reports whether the tests pass and every other finding lies in a test file of this
// run, such as one that is not formatted.
func (rv *reviewer) onlyTestsAtFault() bool {
	found := false
	for _, report := range rv.reports {
		if report.Verdict == gate.Pass || !report.Decides() {
			continue
		}
		for _, f := range report.Findings {
			if f.Test != "" || f.Inferred || !rv.tested.inTests(f.Path, f.Line) {
				return false
			}
			found = true
		}
	}
	return found
}

// accept ends the module with its change.
func (rv *reviewer) accept(ctx context.Context, n graph.Node) graph.Outcome {
	rv.promises.nameNew()
	if err := rv.diagnosis.judge(ctx, n, "", deciding(rv.reports)); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	return rv.checker.verified(ctx, n, rv.reports, graph.Outcome{Status: graph.Done})
}

// sendBack has the change written anew, if there are attempts left.
func (rv *reviewer) sendBack(ctx context.Context, n graph.Node, reports []gate.Report, reason string) graph.Outcome {
	if err := rv.diagnosis.judge(ctx, n, reason, reports); err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: err.Error()}
	}
	if rv.now.number >= rv.run.attempts() {
		rv.history.useUp()
		return graph.Outcome{Status: graph.Failed, Reason: rv.now.gaveUp(reason)}
	}
	if end, ends := rv.history.endRepeat(n, reason); ends {
		return end
	}
	return graph.Outcome{Status: graph.Blocked, Reason: reason, Lane: graph.ReviewFail}
}

func (rv *reviewer) askReviewer(ctx context.Context, n graph.Node) (opinion, step.Outcome) {
	sections := append(rv.run.specification(),
		prompt.Section{Kind: prompt.Errors, Name: "The change", Text: reviewable(rv.now.toReview(), 10), Data: true, Cut: 2},
		prompt.Section{Kind: prompt.Errors, Name: "Gates", Text: describe(rv.reports), Data: true, Cut: 1})
	sections = slices.Concat(sections, rv.now.doubts(), silences(rv.reports))
	places := newPlacing(ctx, rv.run, n, rv.now.tree, rv.now.toReview())
	view, o := decide(ctx, rv.budget, n, step.Step[opinion]{
		Name: "review", Key: "review", MaxTokens: reviewTokens,
		Document: rv.prompter.compose(n.ID, rv.instructions(), sections...),
		Check: func(o opinion) error {
			if err := o.check(); err != nil {
				return err
			}
			return places.check(o.Issues)
		},
	})
	if o.Signal == step.Success {
		view.Issues = places.kept(view.Issues)
		report := reportOn(view.Issues, view.holds(), view.Reason, len(rv.now.toReview().Files))
		report.Output = places.note()
		rv.reportReview(n, report)
	}
	return view, o
}

func reviewed(n graph.Node, report gate.Report) event.Reviewed {
	return event.Reviewed{Node: n.ID, Attempt: n.Attempt, Report: report}
}

// measure has the gates look at the result of the attempt. Where one part alone was joined it is the tree that they have seen.
func (rv *reviewer) measure(ctx context.Context, n graph.Node) error {
	if rv.job.joins && n.Attempt == 1 && len(rv.job.after) == 1 {
		rv.checker.take(n, rv.job.after[0].now.checked)
	} else if err := rv.checker.checkChange(ctx, n); err != nil {
		return err
	}
	if !rv.job.joins {
		return nil
	}
	return rv.joiner.together(ctx, n)
}

// gradeDraft notes what the gates decided about the draft of the attempt that is under way.
func (rv *reviewer) gradeDraft() {
	if d := rv.history.draftOf(rv.now.number); d != nil {
		d.checked = rv.reports
	}
}

// reportReview reports the result of a review, and keeps it.
func (rv *reviewer) reportReview(n graph.Node, report gate.Report) {
	rv.opinion = &report
	rv.run.Tell(reviewed(n, report))
}

func (rv *reviewer) instructions() string {
	if rv.job.part != nil {
		return reviewInstructions + partReviewInstructions
	}
	return reviewInstructions
}
