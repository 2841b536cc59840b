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

// KeepTheirs checks changes after which existing tests may state something else. The original tests, run on the changed code, must pass if they
// passed before. A failing one may be replaced if its new text was seen to fail on the old code, and passes now: the proposal shows
// that, and Forge asks the user if one can answer. A test that is weakened or removed otherwise needs the user's consent; a model's is
// not enough. KeepTheirs returns reports to add to those of gates; none if none is altered.
func (ps *Promises) KeepTheirs(ctx context.Context, n graph.Node) ([]gate.Report, step.Outcome) {
	altered := ps.alteredTests()
	if len(altered.Files) == 0 {
		return nil, step.Outcome{}
	}
	r := regression{Promises: ps, node: n, altered: altered, rewritten: ps.Run.Project.Suites.Rewritten(ps.Now.Changes),
		said: gate.Report{Gate: integrity.RuleRegression, Verdict: gate.Pass}}
	for _, s := range ps.Run.Project.Suites.In(altered) {
		r.again = false
		if o := r.compareSuite(ctx, s); o.Signal != step.Success {
			return nil, o
		}
	}
	r.compareInCode()
	released := work.Union(ps.Start.Earlier.Released, ps.Tests.Released)
	keep := func(f gate.Finding) bool { return slices.Contains(released, f.Message) }
	r.said.Findings = slices.DeleteFunc(r.said.Findings, keep)
	r.replaced = slices.DeleteFunc(r.replaced, keep)
	o := r.conclude(ctx)
	return r.reports, o
}

// regression is one check of the tests that a change touches.
type regression struct {
	*Promises
	node      graph.Node
	altered   patch.ChangeSet
	rewritten integrity.Rewritten
	said      gate.Report    // its findings are the weakened or removed tests
	replaced  []gate.Finding // replaced tests, which were seen to fail before
	reports   []gate.Report  // the result
	again     bool           // a part of the suite was not enough, so all of it runs
}

// compareSuite runs a suite on the result with the original tests, and finds tests that passed before and do not now. A finding of a part
// of the suite counts only if the whole suite confirms it: a test that fails in a part may need tests that the part omits.
func (r *regression) compareSuite(ctx context.Context, s integrity.Suite) step.Outcome {
	before := r.Checker.before(s.Gate)
	if before.Verdict != gate.Pass && len(before.Held) == 0 { // no test is known to have passed
		return step.Outcome{}
	}
	said, replaced := r.said, r.replaced
	report, enough, err := r.partAsItWas(ctx, s, before)
	if err != nil {
		return work.Unable(ctx, err)
	}
	if enough {
		o := r.judgeSuite(ctx, s, before, report)
		if o.Signal != step.Success || len(r.said.Findings) == len(said.Findings) && !slices.ContainsFunc(r.replaced[len(replaced):], r.asWritten) {
			return o
		}
		r.said, r.replaced, r.again = said, replaced, true
	}
	if report, err = r.gates.runGateIn(ctx, r.node, "all their tests", s.Gate, r.onTheirCode(), r.Checker.wide(s.Gate)); err != nil {
		return work.Unable(ctx, err)
	}
	return r.judgeSuite(ctx, s, before, report)
}

// step names a step of the check, which may happen twice.
func (r *regression) step(name string) string {
	if r.again {
		return "all: " + name
	}
	return name
}

// asWritten reports whether a finding is about a test whose lines the change does not touch.
func (r *regression) asWritten(f gate.Finding) bool { return !r.rewritten.Restates(f.Test) }

// judgeSuite finds the tests that passed before, and do not in a report on the changed code with the original tests.
func (r *regression) judgeSuite(ctx context.Context, s integrity.Suite, before, report gate.Report) (o step.Outcome) {
	var err error
	executed, found := integrity.Kept(before, report)
	if len(found) > 0 && !redOf(s.Gate, before, report).Broken { // a failing test may be flaky; code that does not compile is not
		if report, err = r.Checker.runAlone(ctx, r.node, r.step("their tests again"), report, testsOf(found), r.onTheirCode()); err != nil {
			return work.Unable(ctx, err)
		}
		executed, found = integrity.Kept(before, report)
	}
	if found, err = r.stillPass(ctx, s, report, found); err != nil {
		return work.Unable(ctx, err)
	}
	found = slices.Concat(slices.DeleteFunc(found, r.named), r.removed(s, found))
	r.said.Findings = append(r.said.Findings, r.unfulfilled(s, report)...)
	r.said.Command, r.said.Elapsed, r.said.Output = report.Command, r.said.Elapsed+report.Elapsed, report.Output
	r.said.Executed += executed
	if len(found) == 0 {
		return step.Outcome{}
	}
	red, o := r.redOn(ctx, s)
	if o.Signal != step.Success {
		return o
	}
	if red, err = r.redBeside(ctx, s, found, red); err != nil {
		return work.Unable(ctx, err)
	}
	r.sort(r.evidence(s, red), found)
	return step.Outcome{}
}

// named reports whether a finding is about a test in a file that the task names, and in no other file that loses something.
func (r *regression) named(f gate.Finding) bool {
	return f.Test != "" && r.rewritten.Touched(f.Test) && !r.Run.Project.Suites.Rewritten(r.unnamed()).Touched(f.Test)
}

// unnamed returns the files that lose tests and that the task does not name.
func (r *regression) unnamed() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.altered.Files), func(f patch.FileChange) bool { return r.isAbout(integrity.Origin(f)) })}
}

// removed finds original tests that pass, and that the change removes without a replacement.
func (r *regression) removed(s integrity.Suite, found []gate.Finding) (gone []gate.Finding) {
	before, now := r.Checker.before(s.Gate), r.result(s)
	fresh := integrity.Beyond(now.Held, before.Held)
	here := r.Run.Project.Suites.Rewritten(r.unnamed())
	for _, test := range integrity.Beyond(before.Held, now.Held) {
		said := slices.ContainsFunc(found, func(f gate.Finding) bool { return f.Test == test })
		if said || !here.Touched(test) || !r.rewritten.Gone(test) || r.rewritten.Renamed(test, fresh) != "" {
			continue
		}
		gone = append(gone, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test, Message: test + " passes as it is today, and the change removes it"})
	}
	return gone
}

// unfulfilled finds tests that failed before the run, that the task requires to pass, and whose original text does not pass: rewriting
// them is not what the task requires, even if the task names their file.
func (r *regression) unfulfilled(s integrity.Suite, asTheyWere gate.Report) (found []gate.Finding) {
	if r.Job.Recipe().OnlyTests() || len(asTheyWere.Held) == 0 {
		return nil
	}
	for _, test := range r.wantedOf(s) {
		if r.rewritten.Touched(test) && !slices.Contains(asTheyWere.Held, test) {
			found = append(found, gate.Finding{Severity: gate.SeverityError, Rule: integrity.RuleRegression, Test: test,
				Message: test + " fails today, the task names it, and as it is written it still fails with this change"})
		}
	}
	return found
}

// codeOnly returns the change without its test files; testsOnly returns only these.
func (r *regression) codeOnly() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.Now.Changes.Files), r.isTestFile)}
}

func (r *regression) testsOnly() patch.ChangeSet {
	return patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.Now.Changes.Files), func(f patch.FileChange) bool { return !r.isTestFile(f) })}
}

func (r *regression) isTestFile(f patch.FileChange) bool {
	return r.Run.Project.IsTest(integrity.Origin(f)) || r.Run.Project.IsTest(f.Path)
}

// redOn returns the result of the new tests on the old code: from before the implementation, or else from a run now.
func (r *regression) redOn(ctx context.Context, s integrity.Suite) (integrity.Red, step.Outcome) {
	if red, was := r.Tests.AllRed().At(s.Gate); was {
		return red, step.Outcome{}
	}
	report, err := r.gates.runGateIn(ctx, r.node, r.step("new tests on old code"), s.Gate, r.Run.Folder().With(r.testsOnly()), r.Checker.wide(s.Gate))
	if err != nil {
		return integrity.Red{}, work.Unable(ctx, err)
	}
	return redOf(s.Gate, r.Checker.before(s.Gate), report), step.Outcome{}
}

// sort separates tests that the change replaces from those that it weakens or removes.
func (r *regression) sort(e evidence, found []gate.Finding) {
	for _, f := range found {
		if f.Test != "" && e.replaces(f.Test) {
			r.replaced = append(r.replaced, f)
		} else {
			r.said.Findings = append(r.said.Findings, f)
		}
	}
}

// result returns a suite's report on the change.
func (r *regression) result(s integrity.Suite) (now gate.Report) {
	for _, report := range r.Now.Checked {
		if report.Gate == s.Gate {
			now = report
		}
	}
	return now
}

// evidence is what is known about the tests of a suite that a change touches.
type evidence struct {
	rewritten   integrity.Rewritten
	red         integrity.Red
	now, before gate.Report
	keeps       bool // the work changes no behaviour: a test may use other names for the same statement
}

// replaces reports whether the change replaces the statement of a test, or of its file: a test with the same name, one with mostly the
// same text, one in its place, or one that it was merged into was seen to fail on the old code, and passes on the new.
func (e evidence) replaces(test string) bool {
	switch {
	case e.passes(test):
		return e.wasRed(test)
	case e.rewritten.Gone(test):
		name := e.rewritten.Renamed(test, integrity.Beyond(e.now.Held, e.before.Held))
		name = cmp.Or(name, e.rewritten.InPlace(test, e.before.Held, e.now.Held), e.rewritten.Merged(test, e.now.Held))
		return name != "" && e.wasRed(name)
	}
	return false
}

// evidence collects what is known about the tests of a suite; red is the result of the new tests on the old code.
func (r *regression) evidence(s integrity.Suite, red integrity.Red) evidence {
	return evidence{rewritten: r.rewritten, red: red, now: r.result(s), before: r.Checker.before(s.Gate), keeps: !r.Job.Recipe().TestsFirst()}
}

// passes reports whether a test passes now; for a test whose file was changed, whether a case of it does.
func (e evidence) passes(test string) bool {
	return slices.ContainsFunc(e.now.Held, func(name string) bool { return e.rewritten.Same(test, name) })
}

// wasRed reports whether a test was seen to fail on the old code, or not to compile there because of its own text.
func (e evidence) wasRed(test string) bool {
	failed := slices.ContainsFunc(e.red.Tests, func(name string) bool { return e.rewritten.Same(test, name) || integrity.Covers(test, name) })
	return failed && !e.keeps || e.rewritten.Breaks(test, e.red.Faults)
}

// conclude reports the findings, and asks the user if a decision is needed.
func (r *regression) conclude(ctx context.Context) step.Outcome {
	said := r.said
	said.Executed = max(said.Executed, len(said.Findings)+len(r.replaced), 1)
	said.Passed = said.Executed - len(said.Findings)
	switch {
	case len(said.Findings) > 0:
		said.Verdict, said.Summary = gate.Fail, work.Shorten(said.Findings[0].Message, 200)
	case len(r.replaced) > 0:
		said.Summary = work.Shorten(fmt.Sprintf("%s: %s", changed(len(r.replaced)), strings.Join(testsOf(r.replaced), ", ")), 200)
		said.Notice = said.Summary + because(r.Tests.Excuse)
		for _, f := range r.replaced {
			f.Severity, f.Message = gate.SeverityInfo, f.Test+" states something else: it failed on the code before the change, and passes with it"
			said.Findings = append(said.Findings, f)
		}
	default:
		said.Summary = fmt.Sprintf("the tests that were there pass as they were: %d of %d", said.Passed, said.Executed)
	}
	r.Run.Emit(event.GateFinished{Node: r.node.ID, Attempt: r.node.Attempt, Report: said})
	r.reports = append(r.reports, said)
	if len(r.said.Findings)+len(r.replaced) == 0 {
		return step.Outcome{}
	}
	return r.release(ctx)
}

// changed counts replaced tests.
func changed(n int) string {
	if n == 1 {
		return "1 existing test changed"
	}
	return fmt.Sprintf("%d existing tests changed", n)
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

// release asks the user whether passing tests may fail. Without an answer, the change may only replace tests. A rejected test is not asked
// about again.
func (r *regression) release(ctx context.Context) step.Outcome {
	weakened, all := messagesOf(r.said.Findings), messagesOf(slices.Concat(r.said.Findings, r.replaced))
	if !slices.ContainsFunc(all, func(test string) bool { return !slices.Contains(r.Tests.Refused, test) }) {
		return r.refuse(all, "")
	}
	files := strings.Join(work.ChangedPaths(r.altered), ", ")
	question := event.Question{
		Kind: event.AskUnblock, Title: titleOfLost(len(all)),
		Detail: fmt.Sprintf("The model has changed %s, and says why:\n\n%s\n\nRun as they were, on the new code:\n\n%s",
			files, quote(r.Tests.Excuse), work.Shorten("- "+strings.Join(all, "\n- "), work.MaxDigest)),
		Choices:  []event.Choice{{ID: "reject", Title: "No, they must go on passing"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
		Default:  "reject",
		FreeText: "what the change should do instead",
	}
	if len(weakened) == 0 {
		question.Title = changed(len(r.replaced)) + ". Is that wanted?"
		question.Detail += "\n\nEach was seen to fail on the code as it was, and passes now."
		question.Default = "approve"
	}
	answer, err := r.Questions.Ask(ctx, r.node, question)
	switch {
	case err != nil:
		return work.NoAnswer(ctx, err)
	case answer.Choice == "approve":
		r.Tests.Release(all)
		return step.Outcome{}
	}
	r.Tests.Refuse(all)
	return r.refuse(all, strings.TrimSpace(answer.Text))
}

// refuse requires the tests to be rewritten.
func (r *regression) refuse(all []string, text string) step.Outcome {
	r.Tests.Blame(true, true)
	reason := fmt.Sprintf("%s: leave the tests of %s as they are, and let them pass, unless the task names that file", all[0], strings.Join(work.ChangedPaths(r.altered), ", "))
	if text != "" {
		reason += ". The user says: " + text
	}
	return step.Outcome{Signal: step.Retryable, Reason: reason}
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
