package judge

import (
	"cmp"
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

// conclude has the user decide, if a decision is needed, and reports the findings.
func (r *regression) conclude(ctx context.Context) ([]gate.Report, step.Outcome) {
	if r.said.Executed+len(r.said.Findings)+len(r.changes()) == 0 { // nothing could be compared
		return nil, step.Outcome{}
	}
	before := *r
	d := decision{r}
	o := d.release(ctx)
	if o.Signal == step.Success {
		r.reportKept()
	} else {
		lost, changes := d.open()
		r.said.Findings = r.gathered(slices.Concat(lost, changes))
		r.said.Verdict, r.said.Summary = gate.Fail, work.Shorten(r.said.Findings[0].Message, 200)
		r.said.Executed = max(r.said.Executed, len(r.said.Findings))
	}
	if r.said.Passed = r.said.Executed; r.said.Verdict == gate.Fail {
		r.said.Passed -= len(r.said.Findings)
	}
	shown := r.said
	if r.since > 0 {
		shown = asBefore(shown, r.since)
	}
	r.Run.Emit(event.GateFinished{Node: r.node.ID, Attempt: r.node.Attempt, Report: shown})
	if o.Signal == step.Retryable && !r.unable {
		before.answer, before.since = r.answer, cmp.Or(r.since, r.Now.Number)
		r.refused = refusal{r.decidedOn(), before}
	}
	return []gate.Report{r.said}, o
}

// changes are the findings about existing tests that the change replaces, or that need what it adds.
func (r *regression) changes() []gate.Finding { return slices.Concat(r.replaced, r.moved, r.aided) }

// reportKept reports that nothing is lost without a decision. Every report names what was decided, those of later attempts and of other parts too.
func (r *regression) reportKept() {
	said, lost := &r.said, len(r.said.Findings)
	said.Findings = slices.Clone(said.Findings)
	var lines []string
	if changes := r.changes(); len(changes) > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s", r.changed(), strings.Join(gate.TestsOf(changes), ", ")))
	}
	if lost > 0 {
		lines = append(lines, fmt.Sprintf("the user has permitted that passing tests are lost: %s", strings.Join(gate.MessagesOf(r.gathered(said.Findings)), "; ")))
	}
	said.Executed = max(said.Executed, lost+len(r.changes())) - lost // what is lost is no check that holds
	if said.Executed == 0 {
		said.Weight = gate.Advisory
	}
	for i := range said.Findings {
		said.Findings[i].Severity, said.Findings[i].Message = gate.SeverityInfo, said.Findings[i].Message+", which the user has permitted"
	}
	for _, of := range []struct {
		found []gate.Finding
		what  string
	}{
		{r.replaced, " states something else: it failed on the code before the change, and passes with it"},
		{r.moved, " is the same, and imports from elsewhere: what it imported is gone, and it passes with the change"},
		{r.aided, " is the same, and passes only with what the change adds to other files of tests"},
	} {
		for _, f := range of.found {
			f.Severity, f.Message = gate.SeverityInfo, f.Test+of.what
			said.Findings = append(said.Findings, f)
		}
	}
	if said.Summary = work.Shorten(strings.Join(lines, "; "), 200); len(lines) > 0 {
		said.Notice = said.Summary + work.Because(r.Tests.Excuse)
		return
	}
	said.Summary = fmt.Sprintf("the tests that were there pass as they were: %d of %d", said.Executed, said.Executed)
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

// decision is the user's on the findings of a check: what is lost and what is changed.
type decision struct{ r *regression }

// release asks the user whether passing tests may fail. Without an answer, the change may only replace tests, or import them from elsewhere, unless the
// user has refused what an earlier change made of these. What no user could be asked is asked again in each attempt.
func (d decision) release(ctx context.Context) step.Outcome {
	lost, changes := d.open()
	found := slices.Concat(lost, changes)
	if len(found) == 0 {
		return step.Outcome{}
	}
	all := slices.Concat(keys(lost, d.keyOf), keys(changes, asChange))
	if !slices.ContainsFunc(all, func(key string) bool { return !slices.Contains(d.r.Tests.Refused, key) }) || d.r.since > 0 && !d.r.answer.Absent {
		return d.refuse(d.r.answer)
	}
	d.r.Questions.Skip(d.r.repeated) // the same question may ask about other tests now
	answer, err := d.r.Questions.Ask(ctx, d.r.node, d.question(lost, changes))
	d.r.answer = answer
	text := strings.TrimSpace(answer.Text)
	switch {
	case err != nil:
		return work.NoAnswer(ctx, err)
	case answer.Absent && answer.Choice == "approve" && !d.r.Tests.Denied(slices.Concat(gate.TestsOf(found), work.ChangedPaths(d.r.altered))):
		return step.Outcome{}
	case answer.Absent:
	case text != "": // the next change may be as the user has written
		d.r.Tests.Deny(d.about(found))
	case answer.Choice == "approve":
		d.r.Tests.Release(all)
		d.r.Tests.Agree(slices.DeleteFunc(gate.TestsOf(found), func(test string) bool { return test == "" }))
		return step.Outcome{}
	default:
		d.r.Tests.Refuse(all, d.about(found))
	}
	return d.refuse(answer)
}

// open returns the findings that the user has not permitted: lost tests, and changed ones.
func (d decision) open() (lost, changes []gate.Finding) {
	released := work.Union(d.r.Start.Earlier.Released, d.r.Tests.Released)
	lost = slices.DeleteFunc(slices.Clone(d.r.said.Findings), func(f gate.Finding) bool { return slices.Contains(released, d.keyOf(f)) })
	return lost, slices.DeleteFunc(d.r.changes(), func(f gate.Finding) bool {
		return slices.Contains(released, d.keyOf(f)) || slices.Contains(released, asChange(f))
	})
}

// question asks whether tests may be lost and changed.
func (d decision) question(lost, changes []gate.Finding) event.Question {
	shown := gate.MessagesOf(d.r.gathered(slices.Concat(lost, changes)))
	files := strings.Join(work.ChangedPaths(d.r.altered), ", ")
	q := event.Question{
		Kind: event.AskUnblock, Title: titleOfLost(len(lost) + len(changes)),
		Detail: fmt.Sprintf("The model has changed %s, and says why:\n\n%s\n\nThe tests as they were:\n\n%s",
			files, work.Quote(d.r.Tests.Excuse), work.Shorten("- "+strings.Join(shown, "\n- "), work.MaxDigest)),
		Choices:  []event.Choice{{ID: "reject", Title: "No, they must continue to pass"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
		Default:  "reject",
		FreeText: "what the change should do instead",
	}
	if len(lost) == 0 {
		q.Title = d.r.changed() + ". Is that wanted?"
		q.Default = "approve"
		if len(d.r.replaced) > 0 {
			q.Detail += "\n\nThe new text of each was seen to fail on the code as it was, and passes now."
		}
		if len(d.r.moved) > 0 {
			q.Detail += "\n\nThese are the same, and pass now; only where they import from has changed: " + strings.Join(gate.TestsOf(d.r.moved), ", ") + "."
		}
		if len(d.r.aided) > 0 {
			q.Detail += "\n\nThese are the same, and pass only with what is added: " + work.Shorten(strings.Join(gate.TestsOf(d.r.aided), ", "), work.MaxDigest) + "."
		}
	}
	return q
}

// refusal is a change whose existing tests the user did not release.
type refusal struct {
	of   string     // what was decided on
	from regression // before the decision
}

// Renew forgets what was refused before the user has resumed the run: tools may have changed.
func (ps *Promises) Renew() {
	for n := ps.refused.from.since + 1; n <= ps.Now.Number; n++ {
		if ps.History.AfterResume(n) {
			ps.refused = refusal{}
		}
	}
}

// decidedOn identifies what the decision on existing tests depends on: the change, the user's words, and which tests were seen red.
func (ps *Promises) decidedOn() string {
	all := []string{ps.Folder().Base, ps.Now.Resulted, ps.Findings.Words}
	for _, red := range ps.Tests.AllRed() {
		all = append(append(all, red.Gate), slices.Sorted(slices.Values(red.Tests))...)
	}
	return strings.Join(all, "\x00")
}

// refusedBefore returns the findings about a change that was refused before: its tests need not run again, and what no user could be asked is asked again.
func (ps *Promises) refusedBefore(n graph.Node) (r regression, is bool) {
	if ps.Now.Resulted == "" || ps.refused.of != ps.decidedOn() {
		return r, false
	}
	r = ps.refused.from
	r.node = n
	return r, true
}

// keyOf is the key of a decision about a test that is lost, or about tests without names in the changed files: what a tool says of these may differ each time.
func (d decision) keyOf(f gate.Finding) string {
	if f.Test != "" {
		return f.Message
	}
	what, _, _ := strings.Cut(f.Message, ": ")
	return what + ": " + strings.Join(slices.Sorted(slices.Values(work.ChangedPaths(d.r.altered))), ", ")
}

// asChange is the key of a decision about a changed test: a refusal to weaken a test does not count for it.
func asChange(f gate.Finding) string { return "changed: " + f.Message }

func keys(found []gate.Finding, key func(gate.Finding) string) (all []string) {
	for _, f := range found {
		all = append(all, key(f))
	}
	return all
}

// about names what a user has refused: the tests, and the files if findings name none.
func (d decision) about(found []gate.Finding) []string {
	tests := gate.TestsOf(found)
	if slices.Contains(tests, "") {
		tests = append(tests, work.ChangedPaths(d.r.altered)...)
	}
	return slices.DeleteFunc(tests, func(test string) bool { return test == "" })
}

// refuse requires the tests to be rewritten. If no user could be asked, the model may leave the decision to one: it must not keep the old behaviour
// only because the question was not answered.
func (d decision) refuse(answer event.Answer) step.Outcome {
	d.r.Tests.Blame(true, true)
	lost, changes := d.open()
	files := strings.Join(work.ChangedPaths(d.r.altered), ", ")
	reason := gate.MessagesOf(d.r.gathered(slices.Concat(lost, changes)))[0] + ": "
	if answer.Absent {
		reason = strings.TrimSuffix(reason, ": ") + `. No user could be asked whether that is wanted: if the task asks for it, say so in "blocked", and the run stops until a user decides. Otherwise: `
	}
	if slices.ContainsFunc(lost, func(f gate.Finding) bool { _, unloaded := d.r.whyUnloaded(f.Test); return unloaded }) {
		reason += fmt.Sprintf("they cannot load if what they import is gone: leave it where it is or, if the task moves it, change only the imports in %s, "+
			"leave the tests as they are, and name the file in the explanation", files)
	} else {
		reason += fmt.Sprintf("leave the tests of %s as they are, and let them pass, unless the task names that file", files)
	}
	if text := strings.TrimSpace(answer.Text); text != "" {
		reason += ". The user says: " + text
	}
	return step.Outcome{Signal: step.Retryable, Reason: reason}
}

func titleOfLost(n int) string {
	if n == 1 {
		return "1 test passes today and would not any more. Is that wanted?"
	}
	return fmt.Sprintf("%d tests pass today and would not any more. Is that wanted?", n)
}
