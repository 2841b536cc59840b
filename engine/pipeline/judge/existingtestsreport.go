package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// conclude reports the findings, and asks the user if a decision is needed.
func (r *regression) conclude(ctx context.Context) step.Outcome {
	said, changes := r.said, slices.Concat(r.replaced, r.moved, r.aided)
	said.Executed = max(said.Executed, len(said.Findings)+len(changes), 1)
	said.Passed = said.Executed - len(said.Findings)
	switch {
	case len(said.Findings) > 0:
		said.Findings = r.gathered(said.Findings)
		said.Verdict, said.Summary = gate.Fail, work.Shorten(said.Findings[0].Message, 200)
	case len(changes) > 0:
		said.Summary = work.Shorten(fmt.Sprintf("%s: %s", r.changed(), strings.Join(testsOf(changes), ", ")), 200)
		said.Notice = said.Summary + because(r.Tests.Excuse)
		for _, f := range r.replaced {
			f.Severity, f.Message = gate.SeverityInfo, f.Test+" states something else: it failed on the code before the change, and passes with it"
			said.Findings = append(said.Findings, f)
		}
		for _, f := range r.moved {
			f.Severity, f.Message = gate.SeverityInfo, f.Test+" is the same, and imports from elsewhere: what it imported is gone, and it passes with the change"
			said.Findings = append(said.Findings, f)
		}
		for _, f := range r.aided {
			f.Severity, f.Message = gate.SeverityInfo, f.Test+" is the same, and passes only with what the change adds to other files of tests"
			said.Findings = append(said.Findings, f)
		}
	default:
		said.Summary = fmt.Sprintf("the tests that were there pass as they were: %d of %d", said.Passed, said.Executed)
	}
	r.Run.Emit(event.GateFinished{Node: r.node.ID, Attempt: r.node.Attempt, Report: said})
	r.reports = append(r.reports, said)
	if len(r.said.Findings)+len(changes) == 0 {
		return step.Outcome{}
	}
	return r.release(ctx, changes)
}

// gathered makes one finding of those about tests whose file does not load with the change, with the reason: it is the same for all of them.
func (r *regression) gathered(found []gate.Finding) (all []gate.Finding) {
	together := map[string]int{} // places in all, by file
	counts := map[string]int{}
	for _, f := range found {
		why, unloaded := r.whyUnloaded(f.Test)
		at, known := together[why.Path]
		switch {
		case !unloaded:
			all = append(all, f)
			continue
		case !known:
			at = len(all)
			together[why.Path] = at
			all = append(all, f)
		default:
			all[at].Test = ""
		}
		counts[why.Path]++
		all[at].Path, all[at].Line = why.Path, why.Line
		what := f.Test + " does not load with this change as it was"
		if n := counts[why.Path]; n > 1 {
			what = fmt.Sprintf("%d tests of %s do not load with this change as they were", n, why.Path)
		}
		all[at].Message = what + ": " + work.FirstOf(why.Message)
	}
	return all
}

// whyUnloaded returns why the original file of a test does not load with the change, if a name that the file imports is gone.
func (r *regression) whyUnloaded(test string) (why gate.Finding, unloaded bool) {
	at := slices.IndexFunc(r.unloaded, func(f gate.Finding) bool {
		if test == "" || !integrity.IsAbsence(f) {
			return false
		}
		own := patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.altered.Files), func(c patch.FileChange) bool { return integrity.Origin(c) != f.Path })}
		return r.Run.Project.Suites.Rewritten(own).Touched(test)
	})
	if at < 0 {
		return why, false
	}
	return r.unloaded[at], true
}

// cases leaves out findings about tests that fail because one of their cases does (subtests of Go), which has a finding of its own.
func cases(found []gate.Finding) []gate.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f gate.Finding) bool {
		return f.Test != "" && slices.ContainsFunc(found, func(one gate.Finding) bool { return strings.HasPrefix(one.Test, f.Test+"/") })
	})
}

// changed counts the existing tests that the change replaces, or that need what it adds.
func (r *regression) changed() string {
	n, what := len(r.replaced)+len(r.moved), "changed"
	if n == 0 {
		n, what = len(r.aided), "passed without what the change adds to "+strings.Join(work.ChangedPaths(r.altered), ", ")
	}
	if n == 1 {
		return "1 existing test " + what
	}
	return fmt.Sprintf("%d existing tests %s", n, what)
}

// because formats a model's reason for its tests in a line; "" without one.
func because(reason string) string {
	if reason = work.Shorten(strings.Join(strings.Fields(reason), " "), 300); reason != "" {
		return ". The model's reason: " + reason
	}
	return ""
}

func testsOf(found []gate.Finding) (tests []string) {
	for _, f := range found {
		tests = append(tests, f.Test)
	}
	return tests
}

func messagesOf(found []gate.Finding) (all []string) {
	for _, f := range found {
		all = append(all, f.Message)
	}
	return all
}

// release asks the user whether passing tests may fail. Without an answer, the change may only replace tests, or import them from elsewhere. A
// rejected test is not asked about again.
func (r *regression) release(ctx context.Context, changes []gate.Finding) step.Outcome {
	shown := messagesOf(r.gathered(slices.Concat(r.said.Findings, changes)))
	all := messagesOf(r.said.Findings)
	for _, f := range changes {
		all = append(all, asChange(f))
	}
	if r.History.AfterResume(r.Now.Number) {
		r.Tests.AskAgain()
	}
	if !slices.ContainsFunc(all, func(test string) bool { return !slices.Contains(r.Tests.Refused, test) }) {
		return r.refuse(all, shown[0], "")
	}
	files := strings.Join(work.ChangedPaths(r.altered), ", ")
	question := event.Question{
		Kind: event.AskUnblock, Title: titleOfLost(len(all)),
		Detail: fmt.Sprintf("The model has changed %s, and says why:\n\n%s\n\nThe tests as they were:\n\n%s",
			files, quote(r.Tests.Excuse), work.Shorten("- "+strings.Join(shown, "\n- "), work.MaxDigest)),
		Choices:  []event.Choice{{ID: "reject", Title: "No, they must continue to pass"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
		Default:  "reject",
		FreeText: "what the change should do instead",
	}
	if len(r.said.Findings) == 0 {
		question.Title = r.changed() + ". Is that wanted?"
		question.Default = "approve"
		if len(r.replaced) > 0 {
			question.Detail += "\n\nThe new text of each was seen to fail on the code as it was, and passes now."
		}
		if len(r.moved) > 0 {
			question.Detail += "\n\nThese are the same, and pass now; only where they import from has changed: " + strings.Join(testsOf(r.moved), ", ") + "."
		}
		if len(r.aided) > 0 {
			question.Detail += "\n\nThese are the same, and pass only with what is added: " + work.Shorten(strings.Join(testsOf(r.aided), ", "), work.MaxDigest) + "."
		}
	}
	answer, err := r.Questions.Ask(ctx, r.node, question)
	switch {
	case err != nil:
		return work.NoAnswer(ctx, err)
	case answer.Choice == "approve" && !(answer.Absent && slices.ContainsFunc(all, r.Tests.Rejected)): // a default does not overrule a user
		r.Tests.Release(all)
		if !answer.Absent {
			r.Tests.Agree(slices.DeleteFunc(testsOf(slices.Concat(r.said.Findings, changes)), func(test string) bool { return test == "" }))
		}
		return step.Outcome{}
	}
	r.Tests.Refuse(all, answer.Absent)
	return r.refuse(all, shown[0], strings.TrimSpace(answer.Text))
}

// refusal is what was reported of a change whose existing tests the user did not release.
type refusal struct {
	attempt int
	of      string // what was decided on
	reports []gate.Report
	outcome step.Outcome
}

// decidedOn identifies what the decision on existing tests depends on: the change, the user's words, and which tests were seen red.
func (ps *Promises) decidedOn() string {
	all := []string{ps.Now.Resulted, ps.Findings.Words}
	for _, red := range ps.Tests.AllRed() {
		all = append(append(all, red.Gate), slices.Sorted(slices.Values(red.Tests))...)
	}
	return strings.Join(all, "\x00")
}

// refusedBefore returns what was reported of the same change when it was refused. After the user has resumed the run, tools may have changed.
func (ps *Promises) refusedBefore(n graph.Node) (reports []gate.Report, o step.Outcome, is bool) {
	if ps.Now.Resulted == "" || ps.refused.of != ps.decidedOn() || ps.History.AfterResume(ps.Now.Number) {
		return nil, o, false
	}
	for _, report := range ps.refused.reports {
		ps.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: asBefore(report, ps.refused.attempt)})
	}
	ps.Tests.Blame(true, true)
	return ps.refused.reports, ps.refused.outcome, true
}

// asChange is the key of a decision about a changed test: a refusal to weaken a test does not count for it.
func asChange(f gate.Finding) string { return "changed: " + f.Message }

// refuse requires the tests to be rewritten. If no user could be asked, the model may leave the decision to one: it must not keep the old behaviour
// only because the question was not answered. all are the keys of the findings, shown is the first of them.
func (r *regression) refuse(all []string, shown, text string) step.Outcome {
	r.Tests.Blame(true, true)
	files := strings.Join(work.ChangedPaths(r.altered), ", ")
	reason := shown + ": "
	if slices.ContainsFunc(all, func(test string) bool { return slices.Contains(r.Tests.Unasked, test) }) {
		reason = shown + `. No user could be asked whether that is wanted: if the task asks for it, say so in "blocked", and the run stops until a user decides. Otherwise: `
	}
	if slices.ContainsFunc(r.said.Findings, func(f gate.Finding) bool { _, unloaded := r.whyUnloaded(f.Test); return unloaded }) {
		reason += fmt.Sprintf("they cannot load if what they import is gone: leave it where it is or, if the task moves it, change only the imports in %s, "+
			"leave the tests as they are, and name the file in the explanation", files)
	} else {
		reason += fmt.Sprintf("leave the tests of %s as they are, and let them pass, unless the task names that file", files)
	}
	if text != "" {
		reason += ". The user says: " + text
	}
	o := step.Outcome{Signal: step.Retryable, Reason: reason}
	if !r.unable {
		r.refused = refusal{r.Now.Number, r.decidedOn(), slices.Clone(r.reports), o}
	}
	return o
}

// quote formats a model's text as a quotation in Markdown.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

func titleOfLost(n int) string {
	if n == 1 {
		return "1 test passes today and would not any more. Is that wanted?"
	}
	return fmt.Sprintf("%d tests pass today and would not any more. Is that wanted?", n)
}
