package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/patch"
)

// keepTheirs looks at attempts that take something out of tests which were there: the tests as they were, run on the code as it is now, must
// pass where they passed before the run. A change in what is wanted may make them fail; that it is wanted is for the person to say, by naming
// their file in the task or by an answer, and never for a model.
func (m *module) keepTheirs(ctx context.Context, n graph.Node) step.Outcome {
	lost := m.lostTests()
	if len(lost.Files) == 0 {
		return step.Outcome{}
	}
	said := gate.Report{Gate: integrity.RuleRegression, Verdict: gate.Pass}
	for _, s := range m.Project.Suites.In(lost) {
		if o := m.runTheirs(ctx, n, s, &said); o.Signal != step.Success {
			return o
		}
	}
	said.Findings = append(said.Findings, m.lostInCode(lost)...)
	released := merge(m.earlier.released, m.released)
	said.Findings = slices.DeleteFunc(said.Findings, func(f gate.Finding) bool { return slices.Contains(released, f.Message) })
	said.Executed = max(said.Executed, len(said.Findings), 1)
	said.Passed = said.Executed - len(said.Findings)
	said.Summary = fmt.Sprintf("the tests that were there pass as they were: %d of %d", said.Passed, said.Executed)
	if len(said.Findings) > 0 {
		said.Verdict, said.Summary = gate.Fail, digest(said.Findings[0].Message, 200)
	}
	m.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: said})
	if said.Verdict == gate.Pass {
		return step.Outcome{}
	}
	return m.release(ctx, n, lost, said)
}

// lostTests are the changes of the attempt that take something out of tests which were there, in files that the task does not name.
func (m *module) lostTests() (lost patch.ChangeSet) {
	for _, f := range m.changes.Files {
		if m.Project.Suites.Lose(f) && !m.isAbout(integrity.Origin(f)) {
			lost.Files = append(lost.Files, f)
		}
	}
	return lost
}

// runTheirs runs a suite on the result with all tests as they were, and finds those that passed before the run and do not now.
func (m *module) runTheirs(ctx context.Context, n graph.Node, s integrity.Suite, said *gate.Report) step.Outcome {
	before := m.before(s.Gate)
	if before.Verdict != gate.Pass && len(before.Held) == 0 { // nothing is known to have passed
		return step.Outcome{}
	}
	code := patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(m.changes.Files), func(f patch.FileChange) bool {
		return m.Project.IsTest(integrity.Origin(f)) || m.Project.IsTest(f.Path)
	})}
	report, err := m.runGate(ctx, n, "their tests", s.Gate, m.base().With(code))
	if err != nil {
		return m.unable(ctx, err)
	}
	said.Command, said.Elapsed, said.Output = report.Command, said.Elapsed+report.Elapsed, report.Output
	executed, found := integrity.Kept(before, report)
	said.Executed += executed
	said.Findings = append(said.Findings, found...)
	return step.Outcome{}
}

// lostInCode finds tests in files of code that lost something: they cannot be run as they were, because the code around them is another.
func (m *module) lostInCode(lost patch.ChangeSet) (found []gate.Finding) {
	for _, f := range lost.Files {
		if !m.Project.IsTest(integrity.Origin(f)) {
			found = append(found, gate.Finding{
				Path: integrity.Origin(f), Line: 1, Severity: gate.SeverityError, Rule: integrity.RuleRegression, Message: fmt.Sprintf("the change takes something out of the tests in %s", integrity.Origin(f)),
			})
		}
	}
	return found
}

// release asks the person whether tests may fail that passed. Whoever is not there has not said so; what was refused is not asked again.
func (m *module) release(ctx context.Context, n graph.Node, lost patch.ChangeSet, said gate.Report) step.Outcome {
	var failing []string
	for _, f := range said.Findings {
		failing = append(failing, f.Message)
	}
	files := strings.Join(changedPaths(lost), ", ")
	refused := func(text string) step.Outcome {
		m.faultyTests = true
		reason := fmt.Sprintf("%s: leave the tests of %s as they are, and let them pass, unless the task names that file", said.Findings[0].Message, files)
		if text != "" {
			reason += ". The person says: " + text
		}
		return step.Outcome{Signal: step.Retryable, Reason: reason}
	}
	if !slices.ContainsFunc(failing, func(test string) bool { return !slices.Contains(m.refused, test) }) {
		return refused("")
	}
	answer, err := m.ask(ctx, n, ask.Question{
		Kind: ask.Unblock, Title: titleOfLost(len(failing)),
		Detail: fmt.Sprintf("The model has changed %s, and says why:\n\n%s\n\nRun as they were, on the new code:\n\n%s",
			files, quote(m.excuse), digest("- "+strings.Join(failing, "\n- "), maxDigest)),
		Choices:  []ask.Choice{{ID: "reject", Title: "No, they must go on passing"}, {ID: "approve", Title: "Yes, they ask for what is to change"}},
		Default:  "reject",
		FreeText: "what the change should do instead",
	})
	switch {
	case err != nil:
		return unheard(ctx, err)
	case answer.Choice == "approve":
		m.released = merge(m.released, failing)
		return step.Outcome{}
	}
	m.refused = merge(m.refused, failing)
	return refused(strings.TrimSpace(answer.Text))
}

// quote makes what a model has said a quotation in Markdown.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

func titleOfLost(n int) string {
	if n == 1 {
		return "1 test passes today and would not any more. Is that wanted?"
	}
	return fmt.Sprintf("%d tests pass today and would not any more. Is that wanted?", n)
}
